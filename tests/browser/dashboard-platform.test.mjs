// The platform's desk: reviewing a merchant, and paying merchants.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded, open } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, drain, expectProblem, screenshot, urls } from "./support.mjs";

/** A business with one user, an administrator of it. */
const business = (name, more = {}) => ({
    merchants: [{
        id: `m-${name}`, slug: `${name}-shop`, name: `${name} shop`, tradeName: `${name} shop`, legalName: `${name} Oy`, status: "ACTIVE", country: "FI", currency: "EUR",
        timeZone: "Europe/Helsinki", settlementMode: "SETTLEMENT_ON_REDEMPTION", ...more,
    }],
    users: [{ id: `u-${name}`, email: `${name}@shop.example`, firstName: "Aino", lastName: name, emailVerified: true, merchantId: `m-${name}`, merchantTeamRole: "ADMIN" }],
});

/** A settlement that is payable by now. */
const payable = (name, id, netAmountMinor, more = {}) => ({
    id: `s-${name}-${id}`, merchantId: `m-${name}`, sourceType: "REDEMPTION", sourceId: `r-${name}-${id}`, redemptionId: `r-${name}-${id}`,
    grossAmountMinor: netAmountMinor + 100, feeAmountMinor: 100, netAmountMinor, currency: "EUR", feeSnapshot: { percentBps: 0, fixedMinor: 100 }, status: "PENDING",
    eligibleAt: "now-2d", createdAt: "now-9d", updatedAt: "now-9d", ...more,
});

const load = (fixtures) => api("POST", "/__local/fixtures", fixtures);

/** Signs a member in and sends a request as them. */
async function as(userId, method, path, body) {
    const { token } = await api("POST", "/__local/sessions", { userId });
    return api(method, path, body, { authorization: `Bearer ${token}` });
}

/** Drains while the page waits for background work. */
async function drainUntil(locator) {
    for (let attempt = 0; attempt < 20; attempt++) {
        await drain();
        if (await locator.waitFor({ timeout: 1500 }).then(() => true, () => false)) return;
    }
    await locator.waitFor();
}

test("an application is reviewed by a checklist before it is approved", async () => {
    await load(business("review", {
        status: "DECISION_PENDING", settlementMode: undefined, registrationNumber: "1234567-8", vatNumber: "FI12345678", numberOfLocations: 3,
        directors: [{ name: "Aino Virtanen", role: "Managing director" }, { name: "Eero Laine", role: "Director" }],
        documents: [{ type: "REGISTRATION", url: "https://files.example/register.pdf", name: "register.pdf" }],
        verifierKybStatus: "APPROVED", verifierCompanyId: "company-review",
    }));
    const page = await open("u-root", "/merchants/m-review", "review shop");
    const checks = page.locator(".checks li");
    await page.getByText("4 to do").waitFor();
    assert.deepEqual(await checks.filter({ has: page.locator("xpath=self::*[contains(@class,'done')]") }).count(), 2, "verified, and nothing has changed");
    await page.getByText("Eero Laine").waitFor();
    await page.getByText("Locations").waitFor();
    await checkAccess(page);
    await screenshot(page, "platform-review");

    await page.getByRole("button", { name: "Approve" }).click();
    const dialog = page.getByRole("dialog", { name: "Approve: review shop" });
    await dialog.getByText("Not every document was opened.").waitFor();
    await dialog.getByText("Without a network account, the business cannot sell.").waitFor();
    await checkAccess(page);
    await screenshot(page, "platform-approve-open");
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("button", { name: "Seen" }).click();
    await page.getByText("1 of 1 opened").waitFor();
    await page.getByRole("button", { name: "Change the selling" }).click();
    await page.getByRole("textbox", { name: "Network account" }).fill("9");
    await page.getByLabel("Largest sale in EUR").fill("250");
    await page.getByLabel("Reason").fill("Opened by the network today");
    page.expected.push(/400 PATCH .*m-review$/);
    await page.getByRole("button", { name: "Change the settings" }).click();
    await page.getByText("The card network has no such account. Check the digits.").waitFor();
    await load({ cardNetwork: { merchants: [{ merchantId: "1999", name: "review shop", country: "FI", currency: "EUR", status: "ACTIVE" }] } });
    await page.getByRole("textbox", { name: "Network account" }).fill("1999");
    await page.getByRole("button", { name: "Change the settings" }).click();
    await page.getByText("1999, looked up when it was set").waitFor();
    await page.getByRole("button", { name: "Change the settlement" }).click();
    await page.getByRole("combobox", { name: "Settled" }).selectOption("SETTLEMENT_ON_REDEMPTION");
    await page.getByLabel("Fee in percent").fill("2");
    await page.getByLabel("Reason").fill("The contract");
    await page.getByRole("button", { name: "Change the terms" }).click();
    await page.getByText("All done").waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await dialog.getByText("Everything on the checklist is done.").waitFor();
    await dialog.getByLabel("Reason").fill("All documents are in order");
    await dialog.getByRole("button", { name: "Approve" }).click();
    await page.locator("h1 + p .badge", { hasText: "Active" }).waitFor();
    await page.getByText("You approved the application").waitFor();
    await page.getByText("Largest sale: €250.00").waitFor();
    assert.equal(await page.locator(".checks").count(), 0);
});

test("changes since the verification are shown, old and new, and reviewed", async () => {
    await load(business("moved", { legalAddress: { line1: "Vanha katu 1", city: "Turku", postalCode: "20100", country: "FI" } }));
    await as("u-moved", "PUT", "/api/bff/merchant", { company: { legalName: "Moved Group Oy" } });
    const page = await open("u-rut", "/merchants/m-moved", "Moved Group Oy", { size: "phone", theme: "dark" });
    const change = page.getByRole("listitem").filter({ hasText: "Legal name, before" });
    await change.getByText("moved Oy").waitFor();
    await change.getByText("Moved Group Oy").waitFor();
    await change.getByText("moved@shop.example").waitFor();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "platform-identity-changes");
    await page.getByRole("button", { name: "Reviewed" }).click();
    await page.getByLabel("Reason").fill("The register says the same");
    await page.getByRole("dialog").getByRole("button", { name: "Reviewed" }).click();
    await page.getByText("The changes are reviewed.").waitFor();
    await change.waitFor({ state: "detached" });
    await page.getByText("You reviewed the identity of the business").waitFor();
    await page.getByText("Aino moved changed the identity of the business").waitFor();
});

test("the history has people in words, and looks can be filtered away", async () => {
    await load(business("watched"));
    await as("u-rut", "GET", "/api/admin/merchants/m-watched");
    const page = await open("u-root", "/merchants/m-watched", "watched shop");
    assert.equal(await page.getByText("viewed the merchant").count(), 0);
    await page.getByRole("button", { name: "With looks" }).click();
    await page.getByText("Rut Sund viewed the merchant").waitFor();
    await page.getByText("rut@portal.example").first().waitFor();
    await checkAccess(page);
    await page.getByRole("button", { name: "Changes", exact: true }).click();
    assert.equal(await page.getByText("viewed the merchant").count(), 0);
});

test("changes that many looks came after are found", async () => {
    await load(business("crowded"));
    const changed = await as("u-rut", "PATCH", "/api/admin/merchants/m-crowded", { payoutDelayDays: 3, reason: "As agreed" });
    assert.equal(changed.ok, true, JSON.stringify(changed));
    for (let look = 0; look < 55; look++) await as("u-rut", "GET", "/api/admin/merchants/m-crowded");
    const page = await open("u-root", "/merchants/m-crowded", "crowded shop");
    const change = page.getByText("Rut Sund changed the merchant");
    assert.equal(await change.count(), 0);
    expectProblem(page, /ERR_FAILED GET .*\/audit\?/);
    await page.route(/\/audit\?/, (route) => route.abort(), { times: 1 });
    await page.getByRole("button", { name: "Show earlier ones" }).click();
    await page.getByText("Earlier entries could not be loaded.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await change.waitFor();
    await page.getByText("As agreed").waitFor();
    assert.equal(await page.getByRole("button", { name: "Show earlier ones" }).count(), 0);
});

test("to close a business says what stops, and asks for its name", async () => {
    await load(business("final"));
    const page = await open("u-root", "/merchants/m-final", "final shop");
    await page.getByRole("button", { name: "Suspend" }).click();
    await page.getByRole("dialog").getByText("Tills cannot sell or redeem.").waitFor();
    await page.getByRole("dialog").getByText("You can lift the suspension at any time.").waitFor();
    await checkAccess(page);
    await screenshot(page, "platform-suspend");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("button", { name: "Close for good" }).click();
    const dialog = page.getByRole("dialog", { name: "Close for good: final shop" });
    await dialog.getByText("It cannot be opened again.").waitFor();
    await dialog.getByText("What is owed is still paid out.").waitFor();
    await dialog.getByLabel("Reason").fill("Bankrupt");
    await dialog.getByLabel("Type final shop to continue").fill("another shop");
    await dialog.getByRole("button", { name: "Close for good" }).click();
    await dialog.getByText("Type final shop.").waitFor();
    await checkAccess(page);
    await screenshot(page, "platform-close");
    await dialog.getByLabel("Type final shop to continue").fill("final shop");
    await dialog.getByRole("button", { name: "Close for good" }).click();
    await page.getByText("You closed the merchant for good").waitFor();
    assert.equal(await page.locator(".page-head .actions button").count(), 0);
});

test("a run shows beforehand who is left out and why", async () => {
    await load({ ...business("ready"), settlements: [payable("ready", 1, 5000)] });
    await load({ ...business("asleep", { status: "SUSPENDED" }), settlements: [payable("asleep", 1, 7000)] });
    await load({ ...business("held"), settlements: [payable("held", 1, 9000, { held: true })] });
    const page = await open("u-root", "/payouts-due/run", "New payout run", { size: "phone" });
    await page.getByRole("listitem").filter({ hasText: "ready shop" }).getByText("EUR 50.00").waitFor();
    const left = (name) => page.getByRole("listitem").filter({ hasText: name });
    await left("asleep shop").getByText("It is neither active nor closed.").waitFor();
    await left("held shop").getByText("All settlements are held back.").waitFor();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "platform-preview");
    await page.getByLabel("Currency").selectOption("EUR");
    await loaded(page);
    await page.getByRole("searchbox", { name: "Merchant" }).fill("ready");
    await page.getByRole("button", { name: /ready shop/ }).click();
    await page.getByText("1 merchant, together EUR 50.00.").waitFor();
    await left("asleep shop").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "All merchants instead" }).click();
    await left("asleep shop").waitFor();
});

test("merchants are compared by what is due to them, whether a run would pay it or not", async () => {
    const inKroner = (name, id, amount, more) => payable(name, id, amount, { currency: "NOK", ...more });
    await load({ ...business("small"), settlements: [inKroner("small", 1, 900), inKroner("small", 2, 100)] });
    await load({ ...business("stopped", { status: "SUSPENDED" }), settlements: [inKroner("stopped", 1, 70_000), payable("stopped", 2, 300)] });
    await load({ ...business("partly"), settlements: [inKroner("partly", 1, 40_000), inKroner("partly", 2, 2_000, { held: true })] });
    const page = await open("u-root", "/merchants", "Merchants", { size: "phone" });
    await page.getByRole("button", { name: "Due now" }).click();
    const inNok = page.getByRole("region", { name: "Due in NOK" });
    await inNok.getByRole("heading", { name: "NOK 1,110.00" }).waitFor();
    const rows = (await inNok.getByRole("listitem").allInnerTexts()).map((text) => text.replaceAll("\u00a0", " ").split(/\s*\n\s*/));
    assert.deepEqual(rows, [
        ["stopped shop", "It is neither active nor closed", "NOK 700.00", "1 settlement"],
        ["partly shop", "NOK 400.00", "1 settlement"],
        ["small shop", "NOK 10.00", "2 settlements"],
    ]);
    await page.getByRole("region", { name: "Due in EUR" }).getByRole("link", { name: "stopped shop" }).waitFor();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "platform-due");
    await inNok.getByRole("link", { name: "stopped shop" }).click();
    await page.getByRole("heading", { level: 1, name: "stopped shop" }).waitFor();
    await page.goBack();
    await inNok.waitFor();
});

test("a settlement is held back with a reason, and released", async () => {
    await load({ ...business("dispute"), settlements: [payable("dispute", 1, 4000)] });
    const page = await open("u-root", "/merchants/m-dispute", "dispute shop");
    const row = page.getByRole("listitem").filter({ hasText: "s-dispute-1" });
    await row.getByRole("button", { name: "Hold back" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Hold back" }).click();
    await page.getByText("Enter the reason.").waitFor();
    await page.getByLabel("Reason").fill("The buyer disputes it");
    await page.getByRole("dialog").getByRole("button", { name: "Hold back" }).click();
    await row.getByText("Held back. An administrator holds it back.").waitFor();
    await row.getByText("The buyer disputes it").waitFor();
    await page.getByRole("button", { name: "Held back", exact: true }).click();
    await loaded(page);
    await checkAccess(page);
    await screenshot(page, "platform-held");
    assert.ok(await row.getByRole("button", { name: "Release" }).evaluate((button) => button.matches(".quiet")), "as quiet as it is dangerous");
    await row.getByRole("button", { name: "Release" }).click();
    const release = page.getByRole("dialog", { name: "Release: EUR 40.00" });
    await release.getByText("An administrator holds it back.").waitFor();
    await release.getByText("The buyer disputes it").waitFor();
    await release.getByText("The next run pays EUR 40.00 for it.").waitFor();
    await checkAccess(page);
    await screenshot(page, "platform-release");
    await page.getByLabel("Reason").fill("The receipt was shown");
    await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
    await page.getByText("Nothing is held back").waitFor();
});

test("a disputed settlement is taken out of a payout in one flow", async () => {
    await load({ ...business("flow"), settlements: [payable("flow", 1, 6000), payable("flow", 2, 3000)] });
    const page = await open("u-root", "/payouts-due/run", "New payout run");
    await page.getByRole("searchbox", { name: "Merchant" }).fill("flow");
    await page.getByRole("button", { name: /flow shop/ }).click();
    await page.getByText("1 merchant, together EUR 90.00.").waitFor();
    await page.getByRole("button", { name: "Start the run" }).click();
    await drainUntil(page.getByRole("link", { name: "Payouts of this run" }));
    await page.getByRole("link", { name: "Payouts of this run" }).click();
    await page.getByRole("link", { name: "flow shop" }).click();
    await page.getByRole("heading", { level: 1, name: "EUR 90.00" }).waitFor();
    await loaded(page);
    await checkAccess(page);
    await screenshot(page, "platform-payout");
    await page.getByRole("listitem").filter({ hasText: "s-flow-2" }).getByRole("button", { name: "Take out" }).click();
    const dialog = page.getByRole("dialog", { name: "Take EUR 30.00 out of the payout" });
    await dialog.getByLabel("Reason").fill("The buyer disputes it");
    await checkAccess(page);
    await screenshot(page, "platform-take-out");
    page.expected.push(/409 PATCH .*\/api\/admin\/settlements\//);
    await dialog.getByRole("button", { name: "Take it out" }).click();
    await drainUntil(dialog.getByText("There is a new payout without it."));
    await checkAccess(page);
    await screenshot(page, "platform-taken-out");
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Payouts of this run" }).click();
    await page.getByRole("listitem").filter({ hasText: "flow shop" }).getByText("EUR 60.00").waitFor();
    const { data } = await as("u-rut", "GET", "/api/admin/settlements?merchantId=m-flow&held=true");
    assert.deepEqual(data.settlements.map(({ id, heldReason }) => [id, heldReason]), [["s-flow-2", "The buyer disputes it"]]);
});

test("an active business without a network account says so, and its page sets it", async () => {
    await load(business("accountless"));
    const page = await open("u-root", "/merchants/m-accountless", "accountless shop");
    const missing = page.locator("section.panel").filter({ has: page.getByRole("heading", { name: "Still to set" }) });
    await missing.getByText("Network account").waitFor();
    await checkAccess(page);
    await screenshot(page, "platform-still-to-set");
    await missing.getByRole("button", { name: "Set: Network account" }).click();
    await load({ cardNetwork: { merchants: [{ merchantId: "1998", name: "accountless shop", country: "FI", currency: "EUR", status: "ACTIVE" }] } });
    await page.getByRole("textbox", { name: "Network account" }).fill("1998");
    await page.getByLabel("Reason").fill("Opened today");
    await page.getByRole("button", { name: "Change the settings" }).click();
    await page.getByText("The merchant was changed.").waitFor();
    assert.equal(await missing.getByText("Network account").count(), 0);
});

test("an image is taken down from the page that shows it", async () => {
    await load({ ...business("shown", { networkMerchantId: "1997" }), cardNetwork: { merchants: [{ merchantId: "1997", name: "shown shop", country: "FI", currency: "EUR", status: "ACTIVE" }] } });
    const { token } = await api("POST", "/__local/sessions", { userId: "u-shown" });
    const form = new FormData();
    const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    form.set("file", new Blob([pixel], { type: "image/png" }), "card.png");
    const stored = await (await fetch(`${urls.api}/api/bff/offers/media`, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: form })).json();
    await as("u-shown", "POST", "/api/bff/offers", { name: "Seen card", giftCardOfferStatus: "AVAILABLE", minPrice: 10, maxPrice: 50, giftCardDesign: [{ urlImage: stored.data.urlImage }] });
    const page = await open("u-root", "/merchants/m-shown", "shown shop");
    await page.getByRole("button", { name: "Take down: Seen card" }).click();
    await checkAccess(page);
    await page.getByLabel("Reason").fill("Somebody else's picture");
    await screenshot(page, "platform-take-down");
    expectProblem(page, /404 GET .*gift-card-image/);
    await page.getByRole("dialog").getByRole("button", { name: "Take down" }).click();
    await page.getByText("The image is taken down.").waitFor();
    assert.equal((await fetch(`${urls.api}/api/public/gift-card-image?key=${encodeURIComponent(stored.data.key)}`)).status, 404);
});

test("the list of merchants says which of them are shown, and leads back", async () => {
    await load({ merchants: Array.from({ length: 60 }, (_, i) => ({ ...business(`many${i}`).merchants[0], name: `Café ${i}` })) });
    const page = await open("u-root", "/merchants?q=cafe", "Merchants");
    await page.getByText("1–50", { exact: true }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Previous" }).count(), 0);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByText("51–60 of 60", { exact: true }).waitFor();
    await checkAccess(page);
    await page.getByRole("link", { name: "Previous" }).click();
    await page.getByText("1–50", { exact: true }).waitFor();
    await screenshot(page, "platform-merchants");
});
