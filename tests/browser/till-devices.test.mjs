// A till that changes hands, and a browser that takes its journal away in the middle of a call.

import assert from "node:assert/strict";
import test from "node:test";
import { api, openPage } from "./support.mjs";
import { balance, button, enter, heading, newCard, openTill, scan } from "./till-support.mjs";

/** Answers 401 until it is called again, as after a till was revoked. */
async function revoke(page) {
    await page.route("**/api/bff/pos/card/*", (route) => route.fulfill({ status: 401, json: { error: "" }, headers: { "access-control-allow-origin": "*" } }));
}

async function codeOf(userId) {
    const { token } = await api("POST", "/__local/sessions", { userId });
    const till = { name: "Elsewhere", retailStoreId: "301", retailStoreName: "Ginza" };
    return (await api("POST", "/api/auth/tills", till, { authorization: `Bearer ${token}` })).data.pairingCode;
}

for (const way of ["signed out on a card", "signed out while selling", "in another tab", "unpaired"]) {
    test(`after pairing with another merchant, nothing of the old one is shown: ${way}`, async () => {
        const page = await openTill({ size: "phone", expected: [/401 GET/, /40[01] DELETE/] });
        const code = await newCard(500);
        await enter(page, code, "12500");
        await button(page, "Redeem kr 125.00").click();
        await button(page, "Next customer").click();
        await page.getByRole("link", { name: "Sell" }).click();
        await button(page, /Aurora gift card/).waitFor();
        if (way === "signed out while selling") await button(page, /Aurora gift card/).click();
        const other = await codeOf("u-haru");
        if (way === "in another tab") {
            const second = await openPage({ profile: page, expected: [/401/] });
            const { data } = await api("POST", "/api/auth/tills/pairing", { code: other });
            await second.goto(new URL("/icon.svg", page.url()).href);
            await second.evaluate((value) => localStorage.setItem("pairing", value), JSON.stringify({
                token: data.token, till: { id: data.till.id, name: data.till.name, storeName: "Ginza" },
                merchant: { ...data.merchant, primaryColor: "#096386", secondaryColor: "#096386" },
            }));
        } else if (way === "unpaired") {
            await page.locator(".bar .name").click();
            // The other tests' token has to live on.
            await page.route("**/api/auth/session", (route) => (route.request().method() === "DELETE" ? route.fulfill({ status: 200, json: {}, headers: { "access-control-allow-origin": "*" } }) : route.continue()));
            await button(page, /^Unpair/).click();
            await page.getByLabel("Pairing code").fill(other);
        } else {
            if (way === "signed out on a card") {
                await scan(page, code);
                await button(page, "Enter the purchase total").waitFor();
                await page.getByRole("button", { name: "5", exact: true }).click();
                await revoke(page);
                await page.evaluate(() => document.querySelector("till-redeem").find("ANY"));
            } else {
                await revoke(page);
                await page.evaluate(async () => (await import("/cards/look-ups.js")).findCard(document.querySelector("till-app").till, ["ANY"]));
            }
            await page.getByLabel("Pairing code").fill(other);
        }
        await page.getByText("Ginza, Elsewhere").waitFor();
        await page.unroute("**/api/bff/pos/card/*");
        for (const tab of ["Sell", "Redeem", "Today"]) {
            await page.getByRole("link", { name: tab }).click();
            await page.locator("h1").first().waitFor();
            assert.doesNotMatch(await page.locator("body").innerText(), /Aurora|kr\s|••••/, tab);
        }
        await page.getByText("Nothing yet").waitFor();
    });
}

for (const [what, act] of [
    ["deletes the journal", () => new Promise((done, fail) => {
        const deleting = indexedDB.deleteDatabase("till");
        [deleting.onsuccess, deleting.onblocked] = [done, () => fail(new Error("blocked"))];
    }).then(() => true)],
    ["upgrades the journal", () => new Promise((done, fail) => {
        const opening = indexedDB.open("till", 2);
        opening.onblocked = () => fail(new Error("blocked"));
        opening.onsuccess = () => done(opening.result.close());
    }).then(() => true)],
]) {
    test(`another page ${what} in the middle of a call: it is known all the same, also after a reload`, async () => {
        const code = await newCard(500);
        const page = await openTill({ size: "phone" });
        await enter(page, code, "12500");
        let answer, isCarriedOut;
        const carriedOut = new Promise((done) => (isCarriedOut = done));
        const held = new Promise((done) => (answer = done));
        await page.route("**/api/bff/pos/redeem", async (route) => {
            const response = await route.fetch();
            isCarriedOut();
            await held;
            await route.fulfill({ response });
        });
        await button(page, "Redeem kr 125.00").click();
        await page.getByText("Taking kr 125.00 off the card").waitFor();
        await carriedOut;
        assert.ok(await page.evaluate(act));
        answer();
        await heading(page, "kr 125.00 redeemed").waitFor();
        await page.reload();
        await heading(page, "kr 125.00 redeemed").waitFor();
        await button(page, "Next customer").click();
        await page.getByRole("link", { name: "Today" }).click();
        await button(page, /^Redeem ••••/).waitFor();
        assert.equal(await balance(code), 375);
    });
}
