// The till by keyboard: a code begins wherever the focus is, nothing that was entered is lost by Back, and a second card pays the rest.

import assert from "node:assert/strict";
import test from "node:test";
import { checkAccess, screenshot } from "./support.mjs";
import { balance, button, enter, heading, newCard, openKeyboard, openTill, scan } from "./till-support.mjs";

const focused = (page) => page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);
const typed = (text) => [...text].map((key) => [key, 220]);

test("with a keyboard, the field of the code has the focus at the start, and after each customer", async () => {
    const code = await newCard(500);
    const page = await openTill();
    const keyboard = await openKeyboard(page);
    await page.locator("#card-code:focus").waitFor();
    await keyboard([...typed(code), ["Enter", 220]]);
    await page.getByText("kr 500.00").waitFor();
    await page.getByRole("button", { name: "1", exact: true }).click();
    await button(page, "Redeem kr 0.01").click();
    await button(page, "Next customer").click();
    await page.locator("#card-code:focus").waitFor();
    assert.equal(await page.getByLabel("Card code").inputValue(), "");
});

test("typing anywhere begins a code, and / goes to its field", async () => {
    const page = await openTill({ size: "phone" });
    const keyboard = await openKeyboard(page);
    const openTab = async (tab) => {
        await page.getByRole("link", { name: tab }).click();
        await page.locator("a[aria-current]", { hasText: tab }).waitFor();
        await page.evaluate(() => document.activeElement?.blur());
    };
    for (const tab of ["Redeem", "Sell", "Today"]) {
        await openTab(tab);
        await keyboard(typed("DE"));
        await page.waitForFunction(() => document.querySelector("#card-code")?.value === "DE");
        assert.equal(await focused(page), "card-code");
        await keyboard(typed("M0"));
        await page.waitForFunction(() => document.querySelector("#card-code")?.value === "DEM0");
        await page.getByLabel("Card code").fill("");
        await openTab(tab);
        await keyboard(typed("/"));
        await page.locator("#card-code:focus").waitFor();
        assert.equal(await page.getByLabel("Card code").inputValue(), "");
    }
});

test("the browser's Back leaves a card and keeps its amount, and leaves no result", async () => {
    const [code, other] = [await newCard(500), await newCard(300)];
    const page = await openTill({ size: "phone" });
    await enter(page, code, "12500");
    await page.goBack();
    await page.getByLabel("Card code").waitFor();
    await scan(page, code);
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    for (const _ of [1, 2]) {
        await page.goBack();
        await page.waitForFunction(() => history.state?.isStep); // there is something to go back from again
    }
    await heading(page, "kr 125.00 redeemed").waitFor();
    await button(page, "Next customer").click();
    // Another customer's card starts with nothing, and so does the same card later.
    for (const next of [other, code]) {
        await scan(page, next);
        await button(page, "Enter the purchase total").waitFor();
        await button(page, "Back").click();
    }
    assert.equal(await balance(code), 375);
});

for (const way of ["a button", "a scan"]) {
    test(`a second card starts with what is left to pay, by ${way}`, async () => {
        const [first, second] = [await newCard(100), await newCard(500)];
        const page = await openTill({ size: "phone" });
        await enter(page, first, ["1", "5", "00", "0"]);
        await button(page, "Redeem kr 100.00").click();
        if (way === "a button") {
            await button(page, "Another card for kr 50.00").click();
            await page.getByText("Left to pay by another card: kr 50.00").waitFor();
            await checkAccess(page);
            await screenshot(page, "till-rest");
            await scan(page, second);
        } else {
            await page.getByRole("button", { name: "Next customer", disabled: false }).waitFor();
            await scan(page, second);
            await button(page, "Look it up").click();
        }
        await button(page, "Redeem kr 50.00").click();
        await heading(page, "kr 50.00 redeemed").waitFor();
        assert.equal(await page.getByText("Still to pay").count(), 0);
        assert.equal(await balance(second), 450);
        await button(page, "Next customer").click();
        await scan(page, second);
        await button(page, "Enter the purchase total").waitFor();
    });
}

test("a card that was sent to a wrong address is shown and printed instead", async () => {
    const page = await openTill({ size: "phone" });
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /Aurora gift card/).click();
    await button(page, /Delivery/).click();
    await button(page, "E-mail").click();
    await page.getByLabel("E-mail address").fill("bo@exmaple.com");
    await button(page, "Send it there").click();
    // Until it is sold, it is corrected where it was entered.
    await button(page, /Delivery/).click();
    await page.getByLabel("E-mail address").fill("bo@example.com");
    await button(page, "Send it there").click();
    await button(page, "Paid, issue kr 500.00").click();
    await page.getByText("Wrong address?").click();
    await page.getByText("It cannot be sent again. Show the code here, or print it").waitFor();
    await page.getByRole("img", { name: "QR code of the gift card" }).waitFor();
    await checkAccess(page);
});

test("a scan that goes on after the focus has moved to the field is one code", async () => {
    const code = await newCard(500);
    const page = await openTill();
    const asked = [];
    page.on("request", (request) => request.url().includes("/pos/card/") && asked.push(request.url().split("/pos/card/")[1]));
    await page.evaluate((text) => {
        document.activeElement.blur();
        const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        [...text.slice(0, 6)].forEach(press);
        document.querySelector("#card-code").focus();
        [...text.slice(6), "Enter"].forEach(press);
    }, code);
    await page.getByText("kr 500.00").waitFor();
    assert.deepEqual(asked, [code]);
});
