// The first day: founding, applying, the verification, and what a new business has to do.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded, open, show } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, drain, faults, openPage, screenshot, signIn, urls } from "./support.mjs";

const asUser = async (userId) => ({ authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId })).token}` });

test("the address of a shop follows from its name, in letters that an address has", async () => {
    const page = await open("u-noah", "/", "Set up your business", { size: "phone", locale: "sv-SE" });
    await page.getByLabel("Name of the business").fill("Ørsted & Łódź Straße");
    const slug = page.getByLabel("Address of the shop");
    assert.equal(await slug.inputValue(), "orsted-lodz-strasse");
    await page.getByText(/Customers find your shop at/).getByText("/orsted-lodz-strasse").waitFor();
    assert.equal(await page.getByLabel("Country").inputValue(), "SE");
    assert.equal(await page.getByLabel("Currency").inputValue(), "SEK");
    await page.getByLabel("Country").selectOption({ label: "Japan" });
    assert.equal(await page.getByLabel("Currency").inputValue(), "JPY", "the currency follows until it is chosen");
    assert.equal(await page.getByLabel("Time zone").inputValue(), "Europe/Stockholm");
    await checkAccess(page);
    await checkWidth(page);

    await page.getByLabel("Name of the business").fill("Ø");
    await page.getByLabel("Country").selectOption("");
    await page.getByRole("button", { name: "Set up the business" }).click();
    await page.getByText("3 fields need another look").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), "name");
    await page.getByRole("link", { name: "Country" }).click();
    assert.equal(await page.evaluate(() => document.activeElement?.id), "country");
    await checkAccess(page);
    await screenshot(page, "dashboard-founding-errors");
});

test("an invitation of another address names it without giving it away", async () => {
    const page = await open("u-noah", "/invite#ch-1", "Set up your business", { expected: [/403 POST .*\/acceptance$/] });
    await page.getByText("This invitation is for another address.").waitFor();
    await page.getByText("i•••@m•••.example").waitFor();
    await checkAccess(page);
    await screenshot(page, "dashboard-other-address");
});

test("an application leads to the verification at once, an approval is noticed, and the setup says what is next", async () => {
    const page = await open("u-freya", "/", "Application");
    await page.getByRole("button", { name: "Send the application" }).click();
    await page.getByText(/fields need another look/).waitFor();
    await checkAccess(page);
    await page.getByLabel("Registration number").fill("NO 987 654 321");
    await page.getByLabel("VAT number").fill("NO987654321MVA");
    await page.getByLabel("Street and number").fill("Bryggen 1");
    await page.getByLabel("Postal code").fill("5003");
    await page.getByLabel("City").fill("Bergen");
    await page.getByLabel("Country").selectOption("NO");
    await page.getByLabel("Name", { exact: true }).fill("Freya Haugen");
    await page.getByRole("button", { name: "Send the application" }).click();
    await page.getByText("Enter the role of each director, such as managing director.").last().waitFor();
    await page.getByLabel("Role", { exact: true }).fill("Managing director");
    await page.getByLabel("I accept the terms of the platform.").check();
    await page.getByLabel("I accept the privacy notice.").check();
    await page.getByRole("button", { name: "Send the application" }).click();
    await page.getByText("The platform has your application.").waitFor();
    await drain();
    const verification = page.getByRole("link", { name: "Start the verification" });
    await verification.waitFor();
    await checkAccess(page);
    await screenshot(page, "dashboard-verification");

    const verifier = await openPage();
    await verifier.goto(await verification.getAttribute("href"));
    await verifier.getByRole("button", { name: /approve/i }).click();
    await drain();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByText("The directors proved who they are.").waitFor();
    const root = await asUser("u-root");
    await api("PATCH", "/api/admin/merchants/m-fjord", { status: "ACTIVE", settlementMode: "SETTLEMENT_ON_REDEMPTION", reason: "Documents seen" }, root);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByText("Your business is approved. You can sell gift cards now.").waitFor();

    await page.getByRole("heading", { level: 2, name: "Set up your business" }).waitFor();
    await loaded(page);
    await checkAccess(page);
    assert.equal(await page.locator(".stat").count(), 0, "no panels of zero");
    assert.deepEqual(await page.locator(".steps b").allTextContents(), ["Application, done", "First offer, to do", "Store, to do", "Till, to do", "Shop, to do", "Team, to do"]);
    await screenshot(page, "dashboard-setup");
    await page.getByRole("link", { name: "Get the lines" }).click();
    await page.waitForFunction(() => document.activeElement?.textContent === "Gift cards in your shop");
});
