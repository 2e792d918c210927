// Which amounts an offer takes, and how they are written.

import { exponentOf, formatMinor } from "/kit/money.js";

/** @typedef {import("../till.js").Offer} Offer */

/** @param {Offer} offer */
export function isFixed({ minValue, maxValue }) {
  return minValue !== null && minValue === maxValue;
}

/**
 * @param {number} amount
 * @param {Offer} offer a bound that is null is not known: the card network decides
 */
export function isWithin(amount, { minValue, maxValue }) {
  return amount > 0 && amount >= (minValue ?? 0) && amount <= (maxValue ?? Infinity);
}

/** @param {Offer} offer */
export function priceOf(offer) {
  const { minValue, maxValue, currency } = offer;
  const [min, max] = [minValue, maxValue].map((value) => value !== null && shortPrice(value, currency));
  if (isFixed(offer)) return min;
  if (min && max) return `${min} to ${max}`;
  return min ? `${min} or more` : max ? `Up to ${max}` : "Any amount";
}

/** @param {Offer} offer */
export function rangeOf(offer) {
  const { minValue, maxValue, currency } = offer;
  if (minValue === null && maxValue === null) return "Enter an amount.";
  return minValue === null ? `Enter at most ${shortPrice(Number(maxValue), currency)}.` : `Enter ${priceOf(offer)}.`;
}

/**
 * Without decimals where there are none.
 *
 * @param {number} amount
 * @param {string} currency
 */
export function shortPrice(amount, currency) {
  return formatMinor(amount, currency, { whole: amount % 10 ** exponentOf(currency) === 0 });
}
