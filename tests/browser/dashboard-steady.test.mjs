// Nothing jumps while a page loads.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded, show } from "./dashboard.mjs";
import { openPage, signIn } from "./support.mjs";
import { observeVitals, vitalsOf } from "./vitals.mjs";

const MAX_SHIFT = 0.01;

for (const size of ["desktop", "phone"]) {
    for (const [path, heading] of [["/overview", "Overview"], ["/orders", "Orders"], ["/reports", "Reports"], ["/reports?tab=visits", "Reports"], ["/reports?tab=fraud", "Reports"]]) {
        test(`${path} does not jump while it loads (${size})`, async () => {
            const page = await openPage({ size });
            await signIn(page, "u-anna");
            await observeVitals(page);
            await show(page, path, heading);
            await page.waitForLoadState("networkidle");
            await loaded(page);
            const { shift, shifted } = await vitalsOf(page);
            assert.ok(shift <= MAX_SHIFT, `it shifts by ${shift.toFixed(4)}:\n${shifted.join("\n")}`);
        });
    }
}
