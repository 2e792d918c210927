// What the dashboard has to show, counted anew from the API's lists of rows: nothing here comes from a report.

import { dayOf, daysBefore } from "./figures-days.mjs";
import { api } from "./support.mjs";

/** All rows of a merchant, read page by page. Visits and fraud checks have no list: they are as they were loaded. */
export async function readRows({ name, timeZone }, { visits, checks }) {
    const { token } = await api("POST", "/__local/sessions", { userId: `u-${name}` });
    const get = (path) => api("GET", path, undefined, { authorization: `Bearer ${token}` });
    const orders = await walk((after) => get(`/api/bff/merchant-orders?pageSize=50${after}`), "after", ({ data }) => [data.orders, data.nextCursor]);
    const settlements = await walk((after) => get(`/api/bff/settlements?take=200${after}`), "after", ({ rows, nextCursor }) => [rows, nextCursor]);
    const payouts = await walk((cursor) => get(`/api/bff/payouts?limit=1${cursor}`), "cursor", ({ data }) => [data.payouts, data.next]);
    for (const order of orders) order.fraud = checks.get(order.id);
    return { orders, settlements, payouts, redemptions: await readRedemptions(token, timeZone), visits: visits.filter(({ merchantId }) => merchantId === `m-${name}`) };
}

async function walk(get, parameter, read) {
    const all = [];
    for (let cursor = null; ;) {
        const [rows, next] = read(await get(cursor ? `&${parameter}=${encodeURIComponent(cursor)}` : ""));
        all.push(...rows);
        if (!next) return all;
        cursor = next;
    }
}

/** Redemptions are listed by an export. */
async function readRedemptions(token, timeZone) {
    const headers = { authorization: `Bearer ${token}` };
    const to = dayOf(Date.now(), timeZone);
    const { data: { id } } = await api("POST", "/api/bff/exports", { kind: "redemptions", from: daysBefore(to, 365), to }, headers);
    await api("POST", "/__local/drain");
    const { data: { url } } = await api("GET", `/api/bff/exports/${id}`, undefined, headers);
    const [head, ...lines] = (await (await fetch(url)).text()).trim().split(/\r?\n/).map((line) => line.split(",").map((cell) => cell.replace(/^"(.*)"$/, "$1")));
    return lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [head[i].replace("\ufeff", ""), cell])));
}

/** The figures of the days up to today, with those of the period before. */
export function countPeriod({ currency, timeZone }, rows, days) {
    const today = dayOf(Date.now(), timeZone);
    const keys = Array.from({ length: 2 * days }, (_, i) => daysBefore(today, 2 * days - 1 - i));
    const now = new Set(keys.slice(days));
    const isNow = (time) => now.has(dayOf(time, timeZone));
    const part = (isIn) => {
        const orders = rows.orders.filter(({ createdAt }) => isIn(createdAt));
        const redemptions = rows.redemptions.filter(({ occurredAt }) => isIn(occurredAt));
        const visits = rows.visits.filter(({ startedAt }) => isIn(startedAt));
        const completed = orders.filter(({ status }) => status === "COMPLETED");
        const succeeded = redemptions.filter(({ status }) => status === "SUCCEEDED");
        const checked = (status) => count(orders, ({ fraud }) => fraud.status === status);
        const fraud = { Passed: checked("PASSED"), Review: checked("REVIEW"), Blocked: checked("BLOCKED") };
        return {
            orders, redemptions, visits, completed, succeeded, fraud,
            sold: sum(completed, "totalAmountMinor", currency), redeemed: sum(succeeded, "amountMinor", currency),
            averageSold: average(completed, "totalAmountMinor", currency), averageRedeemed: average(succeeded, "amountMinor", currency),
            failed: count(redemptions, ({ status }) => status === "FAILED"),
            passRate: percent(fraud.Passed, fraud.Passed + fraud.Review + fraud.Blocked),
        };
    };
    const current = part(isNow);
    const before = new Set(keys.slice(0, days));
    const previous = part((time) => before.has(dayOf(time, timeZone)));
    const byDay = keys.slice(days).toReversed().map((day) => part((time) => dayOf(time, timeZone) === day));
    const decisions = rows.orders.filter(({ fraud }) => ["REVIEW", "BLOCKED"].includes(fraud.status) && isNow(fraud.decidedAt));
    return { ...current, previous, byDay, decisions: decisions.toSorted(newest((order) => order.fraud.decidedAt)) };
}

export const count = (rows, is) => rows.filter(is).length;

/** Newest first; of one time, the larger id first. */
export const newest = (timeOf) => (a, b) =>
    Date.parse(timeOf(b)) - Date.parse(timeOf(a)) || (a.id < b.id ? 1 : -1);

const inCurrency = (rows, currency) => rows.filter((row) => row.currency === currency);

export const sum = (rows, field, currency) => inCurrency(rows, currency).reduce((total, row) => total + BigInt(row[field]), 0n);

/** Rounded half up; null of nothing. */
function average(rows, field, currency) {
    const number = BigInt(inCurrency(rows, currency).length);
    return number === 0n ? null : (2n * sum(rows, field, currency) + number) / (2n * number);
}

/** In tenths of a percent, rounded half up; null of nothing. */
function percent(part, whole) {
    return whole === 0 ? null : (2000n * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole));
}

/** Sizes by name, the largest first, at most `limit`. */
export function ranked(rows, nameOf, sizeOf, limit = 8) {
    const sizes = new Map();
    for (const row of rows) sizes.set(nameOf(row), (sizes.get(nameOf(row)) ?? 0n) + sizeOf(row));
    return [...sizes].toSorted(([nameA, a], [nameB, b]) => (a === b ? (nameA < nameB ? -1 : 1) : a < b ? 1 : -1)).slice(0, limit);
}

/** What is owed, by currency. */
export function countOwed(settlements, currency) {
    const now = Date.now();
    const add = (is) => sum(settlements.filter(is), "netAmountMinor", currency);
    const isOpen = ({ status, held }) => status === "PENDING" && !held;
    return {
        payable: add((one) => isOpen(one) && Date.parse(one.eligibleAt) <= now),
        later: add((one) => isOpen(one) && Date.parse(one.eligibleAt) > now),
        inProgress: add(({ status }) => status === "IN_BATCH"),
        held: add(({ status, held }) => status === "PENDING" && held),
    };
}

/** The change from a value to another, as it is shown. */
export function changeText(now, before) {
    const [a, b] = [BigInt(now ?? 0), BigInt(before ?? 0)];
    if (b === 0n) return tenthsText(a > 0n ? 1000n : 0n, "%");
    const [difference, positive] = [a > b ? a - b : b - a, a >= b];
    const tenths = (2000n * difference + b) / (2n * b);
    return tenthsText(positive ? tenths : -tenths, "%");
}

/** The difference of two percentages; none where one is missing. */
export const pointsText = (now, before) => tenthsText(now === null || before === null ? 0n : now - before, " pp");

function tenthsText(tenths, unit) {
    if (tenths === 0n) return "No change";
    return `${tenths > 0n ? "Up" : "Down"} ${decimal(tenths > 0n ? tenths : -tenths)}${unit}`;
}

/** @param {bigint} tenths */
const decimal = (tenths) => grouped(tenths / 10n) + (tenths % 10n === 0n ? "" : `.${tenths % 10n}`);

export const percentText = (tenths) => (tenths === null ? "–" : `${decimal(tenths)}%`);

/** @param {bigint | number} number */
export const grouped = (number) => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ",");

const EXPONENTS = { SEK: 2, GBP: 2, KWD: 3, JPY: 0 };
const SYMBOLS = { SEK: "kr", GBP: "£", KWD: "KWD", JPY: "¥" };

/** An amount as it is shown: `whole` without decimals from 100 units, or where there are none; `code` in place of the symbol. */
export function moneyText(minor, currency, { whole = false, code = false } = {}) {
    const [amount, exponent] = [BigInt(minor), EXPONENTS[currency]];
    const unit = 10n ** BigInt(exponent);
    const symbol = code ? currency : SYMBOLS[currency];
    const space = symbol.length > 1 ? " " : "";
    if (whole && (amount >= 100n * unit || amount % unit === 0n)) return `${symbol}${space}${grouped((2n * amount + unit) / (2n * unit))}`;
    const decimals = exponent === 0 ? "" : `.${String(amount % unit).padStart(exponent, "0")}`;
    return `${symbol}${space}${grouped(amount / unit)}${decimals}`;
}
