// A merchant's payouts: what is owed in three parts, each payout with its reference, its settlements and its file.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded, open, show } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, drain, screenshot, urls } from "./support.mjs";

const settlement = (id, netAmountMinor, eligibleAt, more = {}) => ({
    id: `s-owed-${id}`, merchantId: "m-owed", sourceType: "REDEMPTION", sourceId: `r-owed-${id}`, redemptionId: `r-owed-${id}`, grossAmountMinor: netAmountMinor + 100,
    feeAmountMinor: 100, netAmountMinor, currency: "EUR", feeSnapshot: { percentBps: 0, fixedMinor: 100 }, status: "PENDING", eligibleAt, createdAt: "now-9d", ...more,
});

/** Sends a request as the administrator of the platform. */
async function as(userId, method, path, body, headers = {}) {
    const { token } = await api("POST", "/__local/sessions", { userId });
    return (await api(method, path, body, { authorization: `Bearer ${token}`, ...headers })).data;
}

/** Answers requests for payouts in place of the API. */
async function answerPayouts(page, data, status = 200) {
    await page.route(/\/api\/bff\/payouts(\?|$)/, (route) => route.fulfill({
        status, json: data ? { ok: true, data } : { ok: false, error: { code: "INTERNAL", message: "Broken" } },
        headers: { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" },
    }));
}

const owed = (more = {}) => ({ currency: "EUR", payableMinor: 11_700, laterMinor: 3000, nextEligibleAt: "2027-01-08T10:00:00.000Z", inProgressMinor: 0, heldMinor: 0, blocked: null, ...more });

test("what is owed stands in three parts, and a payout is found by its reference", async () => {
    await api("POST", "/__local/fixtures", {
        merchants: [{ id: "m-owed", slug: "owed-shop", name: "owed shop", tradeName: "owed shop", status: "ACTIVE", country: "FI", currency: "EUR", timeZone: "Europe/Helsinki", settlementMode: "SETTLEMENT_ON_REDEMPTION" }],
        users: [{ id: "u-owed", email: "owed@shop.example", firstName: "Aino", lastName: "Owed", emailVerified: true, merchantId: "m-owed", merchantTeamRole: "ADMIN" }],
        settlements: [settlement(1, 5000, "now-3d"), settlement(2, 2500, "now-2d"), settlement(3, 4000, "now+3d"), settlement(4, 1000, "now-1d", { held: true })],
    });
    const page = await open("u-owed", "/payouts", "Payouts");
    const part = (name) => page.locator(".stat", { hasText: name });
    await part("Payable now").getByText("€75.00").waitFor();
    await part("Later").getByText("€40.00").waitFor();
    await part("Later").getByText(/^Next on /).waitFor();
    await part("In progress").getByText("€0.00").waitFor();
    await part("Held back").getByText("€10.00").waitFor();
    await page.getByText("No payouts yet").waitFor();
    await checkAccess(page);

    const { runId } = await as("u-root", "POST", "/api/admin/payouts", { merchantId: "m-owed" }, { "idempotency-key": crypto.randomUUID() });
    await drain();
    await page.reload();
    await part("In progress").getByText("€75.00").waitFor();
    await page.getByRole("row", { name: /In progress/ }).getByText("None yet").waitFor();
    const { payouts: [{ id }] } = await as("u-root", "GET", `/api/admin/payouts?runId=${runId}`);
    await as("u-rut", "PATCH", `/api/admin/payouts/${id}`, { status: "PAID", reference: "SEPA-2026-0042" });
    await drain();
    await page.reload();
    await part("In progress").getByText("€0.00").waitFor();
    await page.getByRole("row", { name: /SEPA-2026-0042/ }).getByText("€75.00").waitFor();
    await loaded(page);
    await checkAccess(page);
    await screenshot(page, "payouts-list");

    await page.getByRole("row", { name: /SEPA-2026-0042/ }).click();
    await page.getByRole("heading", { level: 1, name: "€75.00" }).waitFor();
    await page.getByText("2 settlements").waitFor();
    assert.equal(await page.getByRole("table", { name: "Settlements" }).getByRole("row").count(), 3, "head and two settlements");
    await checkAccess(page);
    await screenshot(page, "payout");
    await page.getByRole("button", { name: "File" }).click();
    assert.ok(await page.getByRole("link", { name: "Download" }).getAttribute("href"));
    await checkAccess(page);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Payouts", exact: true }).last().click();
    await page.getByRole("link", { name: "Settlements", exact: true }).click();
    await page.getByText("1–4 of 4").waitFor();
});

for (const [blocked, text] of [["STATUS", "They wait until your business is active again."], ["IDENTITY_CHANGED", "They wait until the platform has reviewed the changes of your business details."]]) {
    test(`payouts that are stopped say why (${blocked})`, async () => {
        const page = await open("u-anna", "/overview", "Overview", { size: "phone", theme: "dark" });
        await answerPayouts(page, { outlook: [owed({ blocked }), owed({ currency: "SEK", heldMinor: 500, blocked })], payouts: [], next: null });
        await show(page, "/payouts", "Payouts");
        await page.getByText(text).first().waitFor();
        await page.getByText("EUR 117.00").waitFor();
        await checkAccess(page);
        await checkWidth(page);
        await screenshot(page, `payouts-blocked-${blocked}`);
    });
}

test("payouts have pages, and what cannot be loaded says so", async () => {
    const page = await open("u-anna", "/overview", "Overview", { size: "narrow", expected: [/500 GET .*\/payouts/, /404 GET .*\/payouts\//] });
    const payout = (number) => ({ id: `p-${number}`, currency: "SEK", netAmountMinor: 100_000 + number, count: 12, status: "PAID", createdAt: "2026-03-01T10:00:00.000Z", paidAt: "2026-03-03T10:00:00.000Z", reference: `A-REFERENCE-OF-THE-BANK-THAT-IS-LONG-${number}` });
    await answerPayouts(page, { outlook: [owed()], payouts: Array.from({ length: 20 }, (_, number) => payout(number)), next: "page-2" });
    await show(page, "/payouts", "Payouts");
    await page.getByRole("link", { name: "Older" }).click();
    await page.waitForURL(/cursor=page-2/);
    await loaded(page);
    await page.getByRole("link", { name: "Newest" }).waitFor();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "payouts-narrow");
    await answerPayouts(page, null, 500);
    await page.reload();
    await page.getByText("Payouts could not be loaded. Nothing was changed.").waitFor();
    await checkAccess(page);
    await show(page, "/payouts/p-of-somebody-else", "No such payout");
    await page.getByText("There is no such payout").waitFor();
    await checkAccess(page);
});
