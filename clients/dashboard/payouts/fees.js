// Fees: a rate in basis points and a fixed amount.

import { formatMinor } from "/kit/money.js";

const rate = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 2 });

/** @param {number} bps hundredths of a percent */
export const formatRate = (bps) => rate.format(bps / 10_000);

/**
 * Both parts of a fee, without those that are zero.
 * @param {number} bps
 * @param {number} fixedMinor
 * @param {string} currency
 */
export function formatFee(bps, fixedMinor, currency) {
  return [bps !== 0 && formatRate(bps), fixedMinor !== 0 && formatMinor(fixedMinor, currency)]
    .filter(Boolean)
    .join(" + ");
}
