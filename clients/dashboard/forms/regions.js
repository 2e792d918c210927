// Countries, currencies and time zones to choose from, by name. The browser knows them.

/** @typedef {readonly (readonly [string, string])[]} Options */

/** What a browser names beside countries: unions, and codes that are reserved. */
const NO_COUNTRIES = new Set(["EU", "EZ", "UN", "QO", "XA", "XB", "ZZ", "AC", "CP", "CQ", "DG", "EA", "IC", "TA"]);
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The chosen one is there even where the browser does not know it. @param {string} current @returns {Options} */
export function countries(current) {
  const names = new Intl.DisplayNames(undefined, { type: "region", fallback: "none" });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  const known = codes.filter((code) => !NO_COUNTRIES.has(code) && names.of(code) && isCanonical(code));
  const options = withCurrent(known, current).map((code) => /** @type {const} */ ([code, names.of(code) ?? code]));
  return [["", "Choose a country"], ...options.sort(([, a], [, b]) => a.localeCompare(b))];
}

/** Not a code of a country that has another one now. @param {string} code */
const isCanonical = (code) => new Intl.Locale(`und-${code}`).region === code;

/** @param {string} current @returns {Options} */
export function currencies(current) {
  const names = new Intl.DisplayNames(undefined, { type: "currency" });
  return withCurrent(["EUR", ...Intl.supportedValuesOf("currency")], current).map((code) => [
    code,
    `${code} ${names.of(code) ?? ""}`,
  ]);
}

/** @param {string} current @returns {Options} */
export function zones(current) {
  return withCurrent(["UTC", ...Intl.supportedValuesOf("timeZone")], current).map((zone) => [
    zone,
    zone.replaceAll("_", " "),
  ]);
}

/** @param {readonly string[]} known @param {string} current */
const withCurrent = (known, current) => [...new Set([...(current ? [current] : []), ...known])];

/** @param {string} code */
export function countryName(code) {
  try {
    return (code && new Intl.DisplayNames(undefined, { type: "region" }).of(code)) || code || "–";
  } catch {
    return code;
  }
}

/** The country that the browser's language names; empty where it names none. */
export const ownCountry = () => new Intl.Locale(navigator.language).region ?? "";

/** Where it is not the euro, of the countries whose languages browsers most often name. @type {Record<string, string>} */
const CURRENCIES = {
  AE: "AED",
  AU: "AUD",
  BR: "BRL",
  CA: "CAD",
  CH: "CHF",
  CZ: "CZK",
  DK: "DKK",
  GB: "GBP",
  HU: "HUF",
  IN: "INR",
  IS: "ISK",
  JP: "JPY",
  KR: "KRW",
  MX: "MXN",
  NO: "NOK",
  NZ: "NZD",
  PL: "PLN",
  RO: "RON",
  SE: "SEK",
  SG: "SGD",
  TR: "TRY",
  US: "USD",
  ZA: "ZAR",
};

/** A currency to begin with. @param {string} country */
export const currencyOf = (country) => CURRENCIES[country] ?? "EUR";
