// Which amounts an offer takes, and how they are written.

import { exponentOf } from "/kit/money.js";
import { money } from "../shell/formats.js";
import { t } from "../shell/text.js";

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
  const { min, max } = bounds(offer);
  if (isFixed(offer)) return min;
  if (min && max) return t("price-range", { min, max });
  return min ? t("price-from", { min }) : max ? t("price-up-to", { max }) : t("price-any");
}

/** What to enter. @param {Offer} offer */
export function rangeOf(offer) {
  const { min, max } = bounds(offer);
  if (isFixed(offer)) return t("enter-exactly", { amount: min });
  if (min && max) return t("enter-range", { min, max });
  return min ? t("enter-from", { min }) : max ? t("enter-at-most", { amount: max }) : t("enter-any");
}

/** As they are shown; "" where there is none. @param {Offer} offer */
function bounds({ minValue, maxValue, currency }) {
  const [min = "", max = ""] = [minValue, maxValue].map((value) => (value === null ? "" : shortPrice(value, currency)));
  return { min, max };
}

/**
 * Without decimals where there are none.
 *
 * @param {number} amount
 * @param {string} currency
 */
export function shortPrice(amount, currency) {
  return money(amount, currency, { whole: amount % 10 ** exponentOf(currency) === 0 });
}
