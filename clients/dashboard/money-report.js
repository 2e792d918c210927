// The reports about money: what tills redeemed, and what the shop sold. A settlement mode leaves one of them out, and the API
// refuses it.

import { api, call, Problem } from "./api.js";
import { may, store } from "./store.js";

/** @typedef {import("/portal-api/index.js").Schemas} Schemas */
/** @typedef {7 | 14 | 30 | 90} Days */
/** @typedef {"redemptions" | "sales"} MoneyReport */

/** @type {MoneyReport[]} */
const BOTH = ["redemptions", "sales"];

const key = () => `money reports ${store.session?.merchant?.id}`;

/**
 * The reports that the merchant has; both where that is not known. The API does not name the mode, but lists only
 * settlements of that mode. Many redemptions can lie between two sales, so 200 are read.
 * @returns {Promise<readonly MoneyReport[]>}
 */
export async function moneyReports() {
  const kept = sessionStorage.getItem(key());
  if (kept) return BOTH.filter((report) => kept.includes(report));
  if (!may("portal.reports")) return BOTH;
  const list = await call(() => api.GET("/api/bff/settlements", { params: { query: { take: 200 } } })).catch(
    () => null,
  );
  const found = BOTH.filter((report) =>
    list?.rows.some((row) => row.sourceType === (report === "sales" ? "ORDER" : "REDEMPTION")),
  );
  if (found.length === 0) return BOTH;
  remember(found);
  return found;
}

/** @param {readonly MoneyReport[]} reports */
function remember(reports) {
  sessionStorage.setItem(key(), reports.join(" "));
}

/**
 * The report, or null where the settlement mode has none.
 * @template T
 * @param {MoneyReport} report
 * @param {() => Promise<{data: T}>} load
 * @returns {Promise<T | null>}
 */
async function unlessRefused(report, load) {
  try {
    return (await load()).data;
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 403) throw problem;
    remember(BOTH.filter((other) => other !== report));
    return null;
  }
}

/** @param {Days} days */
export function loadSales(days) {
  return unlessRefused("sales", () => call(() => api.GET("/api/bff/analytics/sales", { params: { query: { days } } })));
}

/** @param {Days} days */
export function loadRedemptions(days) {
  return unlessRefused("redemptions", () =>
    call(() => api.GET("/api/bff/analytics/redemptions", { params: { query: { days } } })),
  );
}
