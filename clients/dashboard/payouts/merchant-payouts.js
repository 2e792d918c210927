// The merchant's payouts, and what it is owed.

import { api, call } from "../shell/api.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["PayoutOutlook"]} Outlook */
/** @typedef {Schemas["MerchantPayout"]} MerchantPayout */
/** @typedef {Schemas["MerchantPayouts"]} Payouts */
/** @typedef {Schemas["MerchantPayoutDetail"]} PayoutDetail */

/** @param {string | null} cursor @returns {Promise<Payouts>} */
export async function loadPayouts(cursor) {
  const query = cursor ? { cursor } : {};
  return (await call(() => api.GET("/api/bff/payouts", { params: { query } }))).data;
}

/** @param {string} id @param {string | null} cursor @param {number} [limit] @returns {Promise<PayoutDetail>} */
export async function loadPayout(id, cursor, limit = 50) {
  const query = { limit, ...(cursor && { cursor }) };
  return (await call(() => api.GET("/api/bff/payouts/{id}", { params: { path: { id }, query } }))).data;
}

const LONGEST_PAGE = 200;
/** Settlements of a larger payout are added up in its file. */
const MOST_PAGES = 10;

/** Adds up all its settlements. @param {PayoutDetail} payout @returns {Promise<{gross: number, fee: number} | null>} null: too many */
export async function addUp(payout) {
  const sums = { gross: 0, fee: 0 };
  let page = payout;
  for (let pages = 1; pages <= MOST_PAGES; pages++) {
    for (const { grossAmountMinor, feeAmountMinor } of page.settlements) {
      sums.gross += grossAmountMinor;
      sums.fee += feeAmountMinor;
    }
    if (page.next === null) return sums;
    page = await loadPayout(payout.id, page.next, LONGEST_PAGE);
  }
  return null;
}

/** @param {string} id */
export async function loadPayoutFile(id) {
  return (await call(() => api.GET("/api/bff/payouts/{id}/file", { params: { path: { id } } }))).data;
}
