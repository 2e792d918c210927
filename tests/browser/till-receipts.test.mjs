// What a customer takes along: a receipt of a redemption, and the ticket of a sold card.

import assert from "node:assert/strict";
import test from "node:test";
import { checkAccess, checkWidth, screenshot } from "./support.mjs";
import { button, enter, heading, newCard, openTill } from "./till-support.mjs";

const countPrints = (page) => page.evaluate(() => (window.print = () => (window.prints = (window.prints ?? 0) + 1)));

/** What is printed, and how wide its page is. */
async function printed(page, name) {
    await page.emulateMedia({ media: "print" });
    const text = (await page.locator(".ticket").innerText()).replaceAll("\u00a0", " ");
    await screenshot(page, name);
    await page.emulateMedia({ media: "screen" });
    return text;
}

test("a redemption has a receipt, without the card's code, now and later", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    await countPrints(page);
    await enter(page, code, "12500");
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    for (const isLater of [false, true]) {
        await button(page, "Print receipt").click();
        const text = await printed(page, "till-receipt");
        for (const part of ["Aurora Coffee", "Main street, till 2", "kr 125.00", "kr 375.00", `•••• ${code.slice(-4)}`]) assert.ok(text.includes(part), `${part} in ${text}`);
        assert.match(text, /Reference\s+[\w-]{20,}/);
        assert.match(text, /What is left on a card:\s+127\.0\.0\.1:\d+\/aurora-coffee\/card/);
        await page.getByText("No paper? Let the customer scan").click();
        await page.getByRole("img", { name: "QR code of the page that shows what is left on a card" }).waitFor();
        await screenshot(page, "till-receipt-without-paper");
        assert.ok(!text.includes(code) && !(await page.content()).includes(code), "no code");
        await checkAccess(page);
        await checkWidth(page);
        if (isLater) break;
        await button(page, "Next customer").click();
        assert.equal(await page.locator(".ticket").count(), 0);
        await page.getByRole("link", { name: /Today/ }).click();
        await button(page, /^Redeem ••••/).first().click();
    }
    assert.equal(await page.evaluate(() => window.prints), 2);
});

test("the ticket of a card that was left stays away, however late the rest is known of it", async () => {
    const page = await openTill({ size: "phone" });
    let answer;
    const left = new Promise((done) => (answer = done));
    await page.route("**/api/bff/pos/card/*", async (route) => {
        await left;
        await route.continue();
    });
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /Aurora gift card/).click();
    await button(page, "Paid, issue kr 500.00").click();
    await heading(page, "kr 500.00 gift card sold").waitFor();
    await page.locator(".ticket").waitFor({ state: "attached" });
    await button(page, "Next customer").click();
    await page.locator(".ticket").waitFor({ state: "detached" });
    const answered = page.waitForEvent("requestfinished", (request) => request.url().includes("/pos/card/"));
    answer();
    await answered;
    await page.waitForFunction(() => document.querySelector("till-app").till.cardsNow.size > 0);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await page.locator(".ticket").count(), 0);
});

test("the ticket of a sold card says until when it is valid, and has its code in groups of four", async () => {
    const page = await openTill({ size: "phone" });
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /Aurora gift card/).click();
    await button(page, "Paid, issue kr 500.00").click();
    await heading(page, "kr 500.00 gift card sold").waitFor();
    await page.waitForFunction(() => document.querySelector(".ticket-valid"));
    const code = await page.locator(".code-below .mono").innerText();
    const text = await printed(page, "till-ticket");
    assert.match(text, /Valid to \d{1,2} \w{3,4} 20\d\d/);
    assert.match(text, /What is left on a card:\s+127\.0\.0\.1:\d+\/aurora-coffee\/card/);
    assert.ok(text.includes(code.replaceAll(/(.{4})(?=.)/g, "$1 ")), text);
});
