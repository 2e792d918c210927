// Amounts and times as the till's people read them.

import { formatMinor } from "/kit/money.js";
import { locale } from "./text.js";

/**
 * @param {number} amount minor units
 * @param {string} currency
 * @param {{whole?: boolean}} [options]
 */
export function money(amount, currency, options) {
  return formatMinor(amount, currency, { ...options, locale: locale() });
}

/**
 * @param {string | number} at
 * @param {Intl.DateTimeFormatOptions} options
 */
export function time(at, options) {
  return new Intl.DateTimeFormat(locale(), options).format(new Date(at));
}
