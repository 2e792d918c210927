// Three merchants with a history of half a year each, the same in every run apart from its time: rows at the edges of each day and
// period, in other currencies, without names, and of every status.

import { dayOf, daysBefore, midnight } from "./figures-days.mjs";
import { api, drain, some } from "./support.mjs";

const DAY = 86_400_000;
const DAYS = 185;
export const PERIODS = [7, 14, 30, 90];
/** Those that are looked at. At night, all of them are. */
export const SHOWN_PERIODS = some([7, 90, 30, 14], 2);

/** Settled on both, on sale, and on redemption; with no, three and two decimals; in a zone that never changes its clocks, and two that do. */
export const MERCHANTS = [
    { name: "mori", currency: "JPY", exponent: 0, timeZone: "Asia/Tokyo", settlementMode: null, reports: ["redemptions", "sales", "visits", "fraud"] },
    { name: "gulf", currency: "KWD", exponent: 3, timeZone: "America/New_York", settlementMode: "SETTLEMENT_ON_SALE", reports: ["sales", "visits", "fraud"] },
    { name: "norr", currency: "SEK", exponent: 2, timeZone: "Europe/Stockholm", settlementMode: "SETTLEMENT_ON_REDEMPTION", reports: ["redemptions", "visits", "fraud"] },
];

const ORDERS = [
    ["COMPLETED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED"], ["COMPLETED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED"], ["COMPLETED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED"],
    ["COMPLETED", "PAYMENT_CAPTURE_SUCCEEDED", "NOT_CHECKED"], ["PAID", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED"], ["PENDING_PAYMENT", "PAYMENT_CREATED", "NOT_CHECKED"],
    ["PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW", "PAYMENT_CAPTURE_SUCCEEDED", "REVIEW"], ["PAYMENT_FAILED", "PAYMENT_FAILED", "NOT_CHECKED"],
    ["CANCELLED", "PAYMENT_AUTHORIZED", "BLOCKED"], ["REFUNDED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED"], ["ISSUE_FAILED", "PAYMENT_CAPTURE_FAILED", "PASSED"],
];
const STORES = ["Harbour", "Station", "Market", "Old town", "Airport", "Hill", "Lake", "Castle", "Bridge", "Mill", null];
const EMBEDS = ["Widget", "Shop", "Newsletter", "Blog", null];
const ENTRIES = ["/gift-cards", "/", "/christmas", null];

/** Random numbers below a bound, the same in every run. @param {number} seed */
function random(seed) {
    let state = seed;
    return (bound) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * bound);
    };
}

/** Times in the history: the first and the last moment of each period, and many between. */
function timesOf({ timeZone }, pick, count) {
    const today = dayOf(Date.now(), timeZone);
    const edges = PERIODS.flatMap((days) => [days - 1, 2 * days - 1]).map((days) => midnight(daysBefore(today, days), timeZone));
    const between = Array.from({ length: count }, () => Date.now() - 60_000 - pick(DAYS * DAY));
    return [...edges.flatMap((edge) => [edge, edge - 1]), ...between].map((time) => new Date(time).toISOString());
}

function historyOf(merchant, seed) {
    const pick = random(seed);
    const oneOf = (list) => list[pick(list.length)];
    const { name, currency } = merchant;
    const merchantId = `m-${name}`;
    const money = () => ({ currency: pick(25) === 0 ? "GBP" : currency, amount: 1 + pick(90 * 10 ** merchant.exponent * (merchant.exponent === 0 ? 100 : 1)) });
    const orders = timesOf(merchant, pick, 260).map((createdAt, i) => {
        const [status, paymentStatus, fraud] = oneOf(ORDERS);
        const { currency: paidIn, amount } = money();
        const decidedAt = new Date(Math.min(Date.parse(createdAt) + pick(5 * DAY), Date.now() - 1000)).toISOString();
        return {
            id: `o-${name}-${i}`, merchantId, createdAt, status, paymentStatus, currency: paidIn, totalAmountMinor: amount, buyerName: `Buyer ${i}`,
            fraud: { status: fraud, ...(fraud !== "NOT_CHECKED" && { decidedAt }) },
        };
    });
    const redemptions = timesOf(merchant, pick, 260).map((occurredAt, i) => {
        const { currency: paidIn, amount } = money();
        return {
            id: `r-${name}-${i}`, merchantId, occurredAt, status: oneOf(["SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "FAILED", "PENDING"]), source: oneOf(["POS", "POS", null]),
            storeName: oneOf(STORES), amountMinor: amount, currency: paidIn, networkCode: `CODE-${1000 + i}`,
        };
    });
    const analyticsSessions = timesOf(merchant, pick, 400).map((startedAt, i) =>
        ({ merchantId, sessionId: `a-${name}-${i}`, startedAt, embed: oneOf(EMBEDS), entry: oneOf(ENTRIES) }));
    return { orders, redemptions, analyticsSessions };
}

/** Settlements: `count` of each kind. */
function settlementsOf({ name, currency, settlementMode }, seed, part, count) {
    const pick = random(seed);
    const sources = settlementMode ? [settlementMode === "SETTLEMENT_ON_SALE" ? "ORDER" : "REDEMPTION"] : ["ORDER", "REDEMPTION"];
    const kinds = [{ eligibleAt: "now-2d" }, { eligibleAt: "now+5d" }, { eligibleAt: "now-3d", held: true }, { eligibleAt: "now-40d", status: "VOID" }];
    return kinds.flatMap((kind) => Array.from({ length: count }, (_, i) => {
        const [sourceType, gross, fee] = [sources[i % sources.length], 500 + pick(90_000), pick(400)];
        const id = `${name}-${part}-${kinds.indexOf(kind)}-${i}`;
        return {
            id: `s-${id}`, merchantId: `m-${name}`, sourceType, sourceId: `source-${id}`, grossAmountMinor: gross, feeAmountMinor: fee, netAmountMinor: gross - fee,
            currency: settlementMode || i > 0 ? currency : "GBP", feeSnapshot: { percentBps: 0, fixedMinor: fee }, status: "PENDING", createdAt: "now-50d", ...kind,
        };
    }));
}

/** Loads the merchants. Each has a payout that is paid, one that is in progress, and more to be paid. Returns what the API does not list. */
export async function loadMerchants() {
    const histories = MERCHANTS.map(historyOf);
    const all = (kind) => histories.flatMap((history) => history[kind]);
    await api("POST", "/__local/fixtures", {
        merchants: MERCHANTS.map(({ name, currency, timeZone, settlementMode }) =>
            ({ id: `m-${name}`, slug: `${name}-shop`, name: `${name} shop`, tradeName: `${name} shop`, status: "ACTIVE", currency, timeZone, settlementMode })),
        users: MERCHANTS.map(({ name }) => ({ id: `u-${name}`, email: `${name}@shop.example`, emailVerified: true, merchantId: `m-${name}`, merchantTeamRole: "ADMIN" })),
        orders: all("orders"), redemptions: all("redemptions"), analyticsSessions: all("analyticsSessions"),
    });
    for (const [part, count] of [["paid", 30], ["running", 7], ["due", 5]]) {
        await api("POST", "/__local/fixtures", { settlements: MERCHANTS.flatMap((merchant, i) => settlementsOf(merchant, i + count, part, count)) });
        if (part !== "due") for (const { name } of MERCHANTS) await runPayouts(`m-${name}`, part === "paid");
    }
    return { visits: all("analyticsSessions"), checks: new Map(all("orders").map(({ id, fraud }) => [id, fraud])) };
}

async function runPayouts(merchantId, isPaid) {
    const as = async (userId) => ({ authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId })).token}` });
    const { data: { runId } } = await api("POST", "/api/admin/payouts", { merchantId }, { ...await as("u-root"), "idempotency-key": crypto.randomUUID() });
    await drain();
    if (!isPaid) return;
    const rut = await as("u-rut");
    const { data: { payouts } } = await api("GET", `/api/admin/payouts?runId=${runId}`, undefined, rut);
    for (const { id } of payouts) await api("PATCH", `/api/admin/payouts/${id}`, { status: "PAID", reference: `SEPA-${id.slice(0, 8)}` }, rut);
    await drain();
}
