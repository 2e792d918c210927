// Status, amount and size of a payout, as its merchant reads them.

import { toneBadge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatCount } from "../shell/parts.js";

/** @typedef {import("./merchant-payouts.js").MerchantPayout} MerchantPayout */

/** @param {MerchantPayout} payout */
export function statusBadge({ status }) {
  return status === "PAID" ? toneBadge("ok", "Paid") : toneBadge("info", "In progress");
}

/** @param {MerchantPayout} payout @param {boolean} [code] */
export function payoutAmount({ netAmountMinor, currency }, code = false) {
  return netAmountMinor === null ? "Being added up" : formatMinor(netAmountMinor, currency, { code });
}

/** @param {number | null} count */
export function settlementCount(count) {
  if (count === null) return "an unknown number of settlements";
  return `${formatCount(count)} ${count === 1 ? "settlement" : "settlements"}`;
}
