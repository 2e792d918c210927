// Amounts: integers in minor units of a currency. Conversions work on digits, because floats lose cents.

// Exponents of ISO 4217 that are not 2. Not from `Intl`: CLDR gives 0 decimals to HUF, IDR, COP and others that the API counts in hundredths.
const EXPONENTS = new Map([
  ...[
    "BIF",
    "CLP",
    "DJF",
    "GNF",
    "ISK",
    "JPY",
    "KMF",
    "KRW",
    "PYG",
    "RWF",
    "UGX",
    "UYI",
    "VND",
    "VUV",
    "XAF",
    "XOF",
    "XPF",
  ].map((code) => /** @type {const} */ ([code, 0])),
  ...["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"].map((code) => /** @type {const} */ ([code, 3])),
  ...["CLF", "UYW"].map((code) => /** @type {const} */ ([code, 4])),
]);

/**
 * The number of decimals of the currency's minor unit.
 * @param {string} currency
 * @returns {number}
 */
export function exponentOf(currency) {
  return EXPONENTS.get(currency.toUpperCase()) ?? 2;
}

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** The currency of the shop whose people read. @type {string | undefined} */
let own;

/** @param {string | undefined} currency */
export function setOwnCurrency(currency) {
  own = currency;
}

/**
 * Whether the symbol could be another currency's: "kr" is that of four. The shop's own people know theirs.
 * @param {string} currency
 * @param {string} [locale]
 */
function isAmbiguous(currency, locale) {
  const written = (currency = "", currencyDisplay = /** @type {"symbol" | "narrowSymbol"} */ ("narrowSymbol")) =>
    new Intl.NumberFormat(locale, { style: "currency", currency, currencyDisplay, maximumFractionDigits: 0 }).format(0);
  if (currency === own) return false;
  return written(currency) !== written(currency, "symbol") || (own && written(currency) === written(own));
}

/**
 * @param {string} currency
 * @param {boolean} code
 * @param {boolean} whole
 * @param {string} [locale] the browser's if none is given
 */
function numberFormat(currency, code, whole, locale) {
  const key = `${currency} ${code} ${whole} ${locale} ${own}`;
  let format = formats.get(key);
  if (!format) {
    const decimals = whole ? 0 : exponentOf(currency);
    const fractionDigits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    try {
      format = new Intl.NumberFormat(locale, {
        style: "currency",
        currency,
        currencyDisplay: code || isAmbiguous(currency, locale) ? "code" : "narrowSymbol",
        ...fractionDigits,
      });
    } catch {
      format = new Intl.NumberFormat(locale, fractionDigits); // not three letters: the number alone
    }
    formats.set(key, format);
  }
  return format;
}

/** From this many currency units, rounding to whole ones hides nothing that matters. */
const WHOLE_FROM = 100;

/**
 * An amount for reading. `code` writes "SEK" in place of the symbol, for places where several currencies stand; `whole` rounds large amounts to whole currency units, for
 * figures that summarize many amounts.
 * @param {number} amountMinor
 * @param {string} currency
 * @param {{code?: boolean, whole?: boolean, locale?: string}} [options]
 * @returns {string}
 */
export function formatMinor(amountMinor, currency, { code = false, whole = false, locale } = {}) {
  const unit = 10 ** exponentOf(currency);
  const isRound = whole && (Math.abs(amountMinor) >= WHOLE_FROM * unit || amountMinor % unit === 0);
  const format = numberFormat(currency, code, isRound, locale);
  return format.format(/** @type {`${number}`} */ (fromMinor(amountMinor, currency)));
}

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
 * Minor units as a plain decimal number: 12550 SEK is "125.50".
 * @param {number} amountMinor
 * @param {string} currency
 * @returns {string}
 */
export function fromMinor(amountMinor, currency) {
  const decimals = exponentOf(currency);
  const digits = String(Math.abs(amountMinor)).padStart(decimals + 1, "0");
  const sign = amountMinor < 0 ? "-" : "";
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
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
