// The report of the merchant's settlement mode: what its tills redeemed, or what its shop sold. The API refuses the other one.

import { api, call, Problem } from "./api.js";
import { store } from "./store.js";

/** @typedef {import("/portal-api/index.js").Schemas} Schemas */
/** @typedef {7 | 14 | 30 | 90} Days */

/** @param {"sales" | "redemptions"} report */
const key = (report) => `left out ${store.session?.merchant?.id} ${report}`;

/**
 * The report, or null where the settlement mode has none. A refusal is remembered: the mode does not change.
 * @template T
 * @param {"sales" | "redemptions"} report
 * @param {() => Promise<{data: T}>} load
 * @returns {Promise<T | null>}
 */
async function unlessLeftOut(report, load) {
  if (localStorage.getItem(key(report))) return null;
  try {
    return (await load()).data;
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 403) throw problem;
    localStorage.setItem(key(report), "1");
    return null;
  }
}

/** @param {Days} days */
export function loadSales(days) {
  return unlessLeftOut("sales", () => call(() => api.GET("/api/bff/analytics/sales", { params: { query: { days } } })));
}

/** @param {Days} days */
export function loadRedemptions(days) {
  return unlessLeftOut("redemptions", () => call(() => api.GET("/api/bff/analytics/redemptions", { params: { query: { days } } })));
}
