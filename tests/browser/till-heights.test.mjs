// The till on small phones: what matters is whole on the screen, and nothing lies over it.

import assert from "node:assert/strict";
import test from "node:test";
import { checkWidth, faults, screenshot, some } from "./support.mjs";
import { button, enter, heading, newCard, openTill, scan } from "./till-support.mjs";

/** Requires that the element is whole in the window, with nothing over it; `isScrolled` brings it there first, as a person does. */
async function checkWhole(locator, name, { isScrolled = false } = {}) {
    await locator.waitFor();
    const hidden = await locator.evaluate((element, mayScroll) => {
        if (mayScroll) element.scrollIntoView({ block: "center" });
        const { left, top, right, bottom } = element.getBoundingClientRect();
        const points = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((x) => [0.1, 0.3, 0.5, 0.7, 0.9].map((y) => [left + x * (right - left), top + y * (bottom - top)]));
        return points.map(([x, y]) => document.elementFromPoint(x, y))
            .filter((found) => !found || !(element.contains(found) || found.contains(element)))
            .map((found) => found?.outerHTML.slice(0, 60) ?? "outside");
    }, isScrolled);
    assert.deepEqual(hidden, [], `${name} is not whole`);
}

const UNKNOWN = [
    { target: "card-network", match: "POST /v1/cards/redeem", kind: "after" },
    { target: "card-network", match: "GET /v1/operations/*", kind: "status", value: 503, times: "always" },
];

for (const [width, height] of some([[320, 568], [360, 616], [390, 664]], 1)) {
    test(`whole at ${width} × ${height}`, async () => {
        const page = await openTill({ size: "phone", expected: [/504 POST .*\/pos\/redeem/] });
        await page.setViewportSize({ width, height });
        const picture = (name) => screenshot(page, `till-${width}-${name}`, { fullPage: false });
        const top = () => page.evaluate(() => scrollTo(0, 0));
        const keypad = page.getByRole("group", { name: "Amount", exact: true });
        await picture("start");
        await checkWhole(page.getByLabel("Card code"), "the code's field");
        await checkWhole(button(page, "Find card"), "Find card");

        const code = await newCard(500);
        await enter(page, code, "12500");
        await top();
        await picture("amount");
        for (const [what, name] of [[keypad, "keypad"], [page.locator("output"), "sum"], [button(page, "Redeem kr 125.00"), "money button"]]) await checkWhole(what, name);
        await faults(UNKNOWN);
        await button(page, "Redeem kr 125.00").click();
        await heading(page, "Not known yet").waitFor();
        await top();
        await picture("unknown");
        await checkWhole(page.locator(".outcome .notice.warn"), "Do not redeem it again");
        await checkWhole(button(page, "Ask now"), "Ask now", { isScrolled: true });
        await checkWhole(button(page, "Serve the next customer"), "Serve the next customer", { isScrolled: true });
        await faults([]);
        await button(page, "Ask now").click();
        await heading(page, "kr 125.00 redeemed").waitFor();
        await page.getByRole("button", { name: "Next customer", disabled: false }).click();

        await enter(page, code, ["9", "00", "00"]);
        await button(page, "Redeem kr 375.00").click();
        await heading(page, "kr 375.00 redeemed").waitFor();
        await top();
        await picture("rest");
        await checkWhole(page.locator(".owed"), "Still to pay");
        await page.getByRole("button", { name: "Next customer", disabled: false }).click();

        await page.getByRole("link", { name: "Sell" }).click();
        await button(page, /Aurora gift card/).click();
        await top();
        await picture("sell");
        await checkWhole(button(page, "Paid, issue kr 500.00"), "money button");
        await checkWhole(page.locator("output"), "sum");
        await checkWhole(keypad, "keypad");
        await page.getByRole("button", { name: "Paid, issue kr 500.00", disabled: false }).click();
        await heading(page, "kr 500.00 gift card sold").waitFor();
        await top();
        await picture("sold");
        await checkWhole(page.locator(".handover .qr"), "the code");
        await checkWhole(button(page, "Print"), "Print", { isScrolled: true });
        await checkWhole(button(page, "Next customer"), "Next customer", { isScrolled: true });
        await checkWidth(page);
        await page.getByRole("button", { name: "Next customer", disabled: false }).click();

        await page.getByRole("link", { name: "Redeem" }).click();

        // A scanned code that is offered lies over the screen: it says what it is about, and leaves the sum to be seen.
        await enter(page, await newCard(100), "5000");
        await scan(page, "5901234123457");
        await page.getByText("Scanned 5901234123457").waitFor();
        await top();
        await picture("scan");
        await checkWhole(button(page, "Redeem kr 50.00"), "money button");
    });
}
