// The merchant's payouts, and what it is owed.

import { api, call } from "./api.js";

/** @typedef {import("./store.js").Schemas} Schemas */
/** @typedef {Schemas["PayoutOutlook"]} Outlook */
/** @typedef {Schemas["MerchantPayout"]} MerchantPayout */
/** @typedef {Schemas["MerchantPayouts"]} Payouts */
/** @typedef {Schemas["MerchantPayoutDetail"]} PayoutDetail */

/** @param {string | null} cursor @returns {Promise<Payouts>} */
export async function loadPayouts(cursor) {
  const query = cursor ? { cursor } : {};
  return (await call(() => api.GET("/api/bff/payouts", { params: { query } }))).data;
}

/** @param {string} id @param {string | null} cursor @returns {Promise<PayoutDetail>} */
export async function loadPayout(id, cursor) {
  const query = { limit: 50, ...(cursor && { cursor }) };
  return (await call(() => api.GET("/api/bff/payouts/{id}", { params: { path: { id }, query } }))).data;
}

/** @param {string} id */
export async function loadPayoutFile(id) {
  return (await call(() => api.GET("/api/bff/payouts/{id}/file", { params: { path: { id } } }))).data;
}
