// The merchant's payouts, as the API gives them. Its description does not have these routes yet: until then, their types are here.

import { api, call } from "./api.js";

/** @typedef {import("./store.js").Schemas["Settlement"]} Settlement */

/**
 * What is owed in a currency, by what a run would do with it now.
 * @typedef {object} Outlook
 * @property {string} currency
 * @property {number} payableMinor
 * @property {number} laterMinor
 * @property {string | null} nextEligibleAt
 * @property {number} inProgressMinor
 * @property {number} heldMinor
 * @property {null | "STATUS" | "IDENTITY_CHANGED"} blocked
 */

/**
 * @typedef {object} MerchantPayout
 * @property {string} id
 * @property {string} currency
 * @property {number | null} netAmountMinor null while it is put together
 * @property {number | null} count
 * @property {"IN_PROGRESS" | "PAID"} status
 * @property {string} createdAt
 * @property {string | null} paidAt
 * @property {string | null} reference
 */

/** @typedef {{outlook: Outlook[], payouts: MerchantPayout[], next: string | null}} Payouts */
/** @typedef {MerchantPayout & {settlements: Settlement[], next: string | null}} PayoutDetail */

/**
 * @template T
 * @param {string} path
 * @param {{path?: Record<string, string>, query?: Record<string, string | number>}} params
 * @returns {Promise<T>}
 */
async function get(path, params) {
  const client =
    /** @type {{GET: (path: string, options: object) => Promise<{data?: {data: T}, response: Response}>}} */ (
      /** @type {unknown} */ (api)
    );
  return (await call(() => client.GET(path, { params }))).data;
}

/** @param {string | null} cursor @returns {Promise<Payouts>} */
export const loadPayouts = (cursor) => get("/api/bff/payouts", { query: cursor ? { cursor } : {} });

/** @param {string} id @param {string | null} cursor @returns {Promise<PayoutDetail>} */
export const loadPayout = (id, cursor) =>
  get("/api/bff/payouts/{id}", { path: { id }, query: { limit: 50, ...(cursor && { cursor }) } });

/** @param {string} id @returns {Promise<{url: string}>} */
export const loadPayoutFile = (id) => get("/api/bff/payouts/{id}/file", { path: { id } });
