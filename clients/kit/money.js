// Amounts: integers in minor units of a currency. Conversions work on digits, because floats lose cents.

// Exponents of ISO 4217 that are not 2. Not from `Intl`: CLDR gives 0 decimals to HUF, IDR, COP and others that the API counts in hundredths.
const EXPONENTS = new Map([
  ...exponents(0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
  ...exponents(3, "BHD IQD JOD KWD LYD OMR TND"),
  ...exponents(4, "CLF UYW"),
]);

/** @param {number} exponent @param {string} codes */
function exponents(exponent, codes) {
  return codes.split(" ").map((code) => /** @type {const} */ ([code, exponent]));
}

/** The number of decimals of the currency's minor unit. @param {string} currency @returns {number} */
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
 * Whether the symbol can be that of another currency, as "kr" is that of four. The shop's people know their own.
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
export function numberFormat(currency, code, whole, locale) {
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
 * An amount for reading. `code` writes "SEK" in place of the symbol, where several currencies stand; `whole` rounds large amounts to
 * whole currency units, for figures that summarize many amounts.
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
