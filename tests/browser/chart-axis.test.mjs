// The scale of the dashboard's charts: round steps that fit the values.

import assert from "node:assert/strict";
import { test } from "node:test";

import { axis } from "../../clients/dashboard/reports/chart/axis.js";

test("the axis ends at the first round step above the values", () => {
    const expected = [[300, 300, 100], [301, 400, 100], [10_350, 12_500, 2500], [7, 8, 2], [9999, 10_000, 2500], [26, 30, 10]];
    for (const [highest, top, step] of expected) assert.deepEqual(axis(highest), { top, step }, String(highest));
});

test("the highest column takes up most of the height", () => {
    for (let highest = 5; highest < 20_000; highest += 7) {
        const { top, step } = axis(highest);
        assert.ok(top >= highest && highest / top >= 0.7, `${highest} of ${top}`);
        assert.ok(top / step <= 5 && Number.isInteger(top / step), `${top} in steps of ${step}`);
    }
});

test("no step is a part of what cannot be divided", () => {
    assert.deepEqual(axis(1), { top: 1, step: 1 }, "one order");
    assert.deepEqual(axis(2), { top: 2, step: 1 });
    assert.deepEqual(axis(30, 100), { top: 100, step: 100 }, "cents, on an axis of whole euros");
    assert.deepEqual(axis(900, 100), { top: 1000, step: 500 });
    assert.deepEqual(axis(0, 100), { top: 100, step: 100 }, "nothing");
});
