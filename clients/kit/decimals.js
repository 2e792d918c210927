// Decimal numbers as amounts. Apart from money.js, since most pages only show minor units.

import { exponentOf, numberFormat } from "./money.js";

/**
 * An amount in currency units, as the card network reports it.
 * @param {number | string} units
 * @param {string} currency
 * @returns {string}
 */
export function formatUnits(units, currency) {
  const decimal = plainDecimal(units);
  return decimal === null
    ? String(units)
    : numberFormat(currency, false, false).format(/** @type {`${number}`} */ (decimal));
}

/**
 * Minor units of a decimal number, or null if it is not a number or not representable.
 * @param {string | number} decimal
 * @param {string} currency
 * @returns {number | null}
 */
export function toMinor(decimal, currency) {
  const plain = plainDecimal(decimal);
  if (plain === null) return null;
  const negative = plain.startsWith("-");
  const [units = "", fraction = ""] = plain.replace("-", "").split(".");
  const decimals = exponentOf(currency);
  if (/[1-9]/.test(fraction.slice(decimals))) return null;
  const minor = Number(units + fraction.slice(0, decimals).padEnd(decimals, "0"));
  if (!Number.isSafeInteger(minor)) return null;
  return negative && minor !== 0 ? -minor : minor;
}

/**
 * Writes a number without an exponent: 1e-7 becomes "0.0000001".
 * @param {string | number} value
 * @returns {string | null}
 */
function plainDecimal(value) {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(String(value).trim());
  if (!match) return null;
  const [, sign, units = "", fraction = "", power = "0"] = match;
  if (units + fraction === "") return null;
  const shift = Number(power);
  const digits =
    units.padStart(Math.max(0, -shift) + units.length, "0") +
    fraction.padEnd(fraction.length + Math.max(0, shift), "0");
  const point = Math.max(0, -shift) + units.length + shift;
  const whole = digits.slice(0, point).replace(/^0+(?=\d)/, "") || "0";
  const rest = digits.slice(point);
  return `${sign === "-" ? "-" : ""}${whole}${rest ? `.${rest}` : ""}`;
}
