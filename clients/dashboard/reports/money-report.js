// The reports about money: what tills redeemed, and what the shop sold. A settlement mode leaves one of them out, and the API
// refuses it.

import { api, call } from "../shell/api.js";
import { store } from "../shell/store.js";

/** @typedef {7 | 14 | 30 | 90} Days */
/** @typedef {"redemptions" | "sales"} MoneyReport */

/** The reports that the merchant has. @returns {readonly MoneyReport[]} */
export function moneyReports() {
  const mode = store.session?.merchant?.settlementMode;
  if (mode === "SETTLEMENT_ON_SALE") return ["sales"];
  if (mode === "SETTLEMENT_ON_REDEMPTION") return ["redemptions"];
  return ["redemptions", "sales"];
}

/** @param {Days} days */
export const loadSales = async (days) =>
  (await call(() => api.GET("/api/bff/analytics/sales", { params: { query: { days } } }))).data;

/** @param {Days} days */
export const loadRedemptions = async (days) =>
  (await call(() => api.GET("/api/bff/analytics/redemptions", { params: { query: { days } } }))).data;
