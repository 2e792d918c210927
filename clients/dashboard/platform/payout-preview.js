// What a payout run would make and leave out now.

import { api, call } from "../shell/api.js";

/** @typedef {import("../shell/store.js").Schemas["PayoutPreview"]} Preview */

/** A preview of many merchants comes in parts. */
const MOST_PARTS = 20;

/** All of it, up to 20 parts: `next` is null unless there is more. @param {{merchantId?: string, currency?: string}} scope @returns {Promise<Preview>} */
export async function readPreview(scope) {
  /** @type {Preview} */
  const all = { payouts: [], leftOut: [], next: null };
  for (let part = 0; part === 0 || (all.next && part < MOST_PARTS); part++) {
    const query = { ...scope, ...(all.next && { cursor: all.next }) };
    const { data } = await call(() => api.GET("/api/admin/payouts/preview", { params: { query } }));
    all.payouts.push(...data.payouts);
    all.leftOut.push(...data.leftOut);
    all.next = data.next;
  }
  return all;
}
