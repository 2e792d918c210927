// The platform's pages under conditions that people choose: narrow screens, the size of text, forced colours, direction.

import assert from "node:assert/strict";
import test from "node:test";

import { open, show, smallTargets } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, drain, READINGS, screenshot, some } from "./support.mjs";

const LONG = "Ristorante e pasticceria della nonna Giuseppina dal millenovecentoventisette";

/** A merchant that waits for a decision and one with a payout, both with long names. */
async function longNames() {
    const merchant = (name, status) => ({
        id: `m-${name}`, slug: `${name}-shop`, name: `${LONG} ${name}`, legalName: LONG.replaceAll(" ", ""), status, country: "IT", currency: "EUR", timeZone: "Europe/Rome",
        settlementMode: "SETTLEMENT_ON_REDEMPTION", legalAddress: { line1: LONG, city: "Reggio nell'Emilia", postalCode: "42121", country: "IT" }, directors: [{ name: LONG, role: LONG }],
        documents: [{ type: "REGISTRATION", url: `https://files.example/${LONG.replaceAll(" ", "-")}.pdf`, name: `${LONG}.pdf` }],
    });
    const settlement = {
        id: "s-due-a-long-id-of-a-settlement-0001", merchantId: "m-due", sourceType: "REDEMPTION", sourceId: "r-due", redemptionId: "r-due", grossAmountMinor: 123_456_789, feeAmountMinor: 0,
        netAmountMinor: 123_456_789, currency: "EUR", feeSnapshot: {}, status: "PENDING", eligibleAt: "now-2d", createdAt: "now-9d",
    };
    await api("POST", "/__local/fixtures", { merchants: [merchant("wait", "DECISION_PENDING"), merchant("due", "ACTIVE")], settlements: [settlement] });
    const { token } = await api("POST", "/__local/sessions", { userId: "u-rut" });
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": "long-names" };
    await api("POST", "/api/admin/payouts", { merchantId: "m-due" }, headers);
    await drain();
    const { data } = await api("GET", "/api/admin/payouts?merchantId=m-due", undefined, headers);
    return data.payouts[0].id;
}

/** Path and heading of the platform's pages. */
const pagesOf = (payout) => [
    ["/merchants", "Merchants"], ["/merchants?by=due", "Merchants"], ["/merchants/m-wait", /Ristorante/], ["/merchants/m-due", /Ristorante/], ["/payouts-due", "Payouts due"],
    ["/payouts-due/run", "New payout run"], [`/payouts-due/${payout}`, "EUR 1,234,567.89"],
];

for (const reading of some([undefined, ...Object.keys(READINGS)], 2)) {
    test(`the platform's pages fit a narrow screen${reading ? ` with ${reading}` : ""}`, async () => {
        const payout = await longNames();
        const page = await open("u-root", "/merchants", "Merchants", { size: reading ? "phone" : "narrow", theme: reading ? "light" : "dark", reading });
        for (const [path, heading] of pagesOf(payout)) {
            await show(page, path, heading);
            await checkAccess(page);
            await checkWidth(page);
            if (!reading) assert.deepEqual(await smallTargets(page), []);
            await screenshot(page, `platform${path.replace(payout, "payout").replaceAll(/\W+/g, "-")}-${reading ?? "narrow"}`);
        }
    });
}
