// Amounts as people type them. Apart from money.js, since most pages only show amounts.

import { toMinor } from "./decimals.js";
import { exponentOf, fromMinor } from "./money.js";

/**
 * An amount as a person would type it: in the locale's digits, without groups, and without decimals that are all zero.
 * @param {number} amountMinor
 * @param {string} currency
 * @param {string} [locale]
 * @returns {string}
 */
export function typedAmount(amountMinor, currency, locale) {
  const decimal = fromMinor(amountMinor, currency);
  const decimals = /\.0*$/.test(decimal) ? 0 : exponentOf(currency);
  const format = new Intl.NumberFormat(locale, {
    useGrouping: false,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return format.format(/** @type {`${number}`} */ (decimal));
}

/**
 * Minor units of what a person typed, or null if it is not an amount. Reads the locale's digits and separators. Misplaced group
 * separators are rejected: "12,50" typed in English is no 1,250.
 * @param {string} text
 * @param {string} currency
 * @param {string} [locale]
 * @returns {number | null}
 */
export function parseAmount(text, currency, locale) {
  const format = new Intl.NumberFormat(locale);
  const parts = format.formatToParts(12345678.9);
  const decimalSign = parts.find((part) => part.type === "decimal")?.value ?? ".";
  const groupSign = parts.find((part) => part.type === "group")?.value ?? ",";
  const localDigits = [
    ...new Intl.NumberFormat(locale, { useGrouping: false, minimumIntegerDigits: 10 }).format(123456789),
  ];
  let plain = "";
  for (const character of text.trim()) {
    const digit = localDigits.indexOf(character);
    plain += digit >= 0 ? String(digit) : character;
  }
  plain = plain.replaceAll(/[\s\u00a0\u202f'’]/g, "");
  const [units = "", fraction, ...rest] = splitDecimal(plain, decimalSign, groupSign);
  if (rest.length > 0 || (fraction !== undefined && !/^\d*$/.test(fraction))) return null;
  const groups = units.split(groupSign);
  const grouped = groups.length > 1;
  if (
    grouped &&
    !(
      /^\d{1,3}$/.test(groups[0] ?? "") &&
      groups.slice(1, -1).every((group) => /^\d{2,3}$/.test(group)) &&
      /^\d{3}$/.test(groups.at(-1) ?? "")
    )
  )
    return null;
  if (!/^\d*$/.test(groups.join(""))) return null;
  return toMinor(fraction === undefined ? groups.join("") : `${groups.join("")}.${fraction}`, currency);
}

/**
 * @param {string} text
 * @param {string} decimalSign
 * @param {string} groupSign
 */
function splitDecimal(text, decimalSign, groupSign) {
  // A point where the locale uses it for nothing else, from a keypad that has no comma.
  const sign = !text.includes(decimalSign) && groupSign !== "." ? "." : decimalSign;
  return text.split(sign);
}
