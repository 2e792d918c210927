// Amounts of money in the clients: exact, and with the exponents of ISO 4217.

import assert from "node:assert/strict";
import { test } from "node:test";

import { formatUnits, toMinor } from "../../clients/kit/decimals.js";
import { exponentOf, formatMinor, fromMinor, setOwnCurrency } from "../../clients/kit/money.js";
import { parseAmount, typedAmount } from "../../clients/kit/typed-amount.js";

test("the exponent is that of ISO 4217, not of the browser", () => {
  const expected = { SEK: 2, EUR: 2, HUF: 2, IDR: 2, PKR: 2, COP: 2, MGA: 2, JPY: 0, ISK: 0, KRW: 0, KWD: 3, TND: 3, CLF: 4 };
  for (const [currency, exponent] of Object.entries(expected)) assert.equal(exponentOf(currency), exponent, currency);
  assert.match(formatMinor(123_456, "HUF"), /1.?234[.,]56/);
  assert.match(formatMinor(5000, "JPY"), /5.?000(?![.,]0)/);
  assert.match(formatMinor(1234, "KWD", { code: true }), /KWD.*1[.,]234/);
});

test("a symbol that several currencies have stands for the shop's own", () => {
  for (const [own, locale, currency, options, expected] of [
    ["SEK", "en", "SEK", {}, "kr 5.00"],
    ["SEK", "en", "NOK", {}, "NOK 5.00"],
    ["SEK", "en", "EUR", {}, "€5.00"],
    ["SEK", "en", "SEK", { code: true }, "SEK 5.00"],
    ["NOK", "sv", "NOK", {}, "5,00 kr"],
    ["NOK", "sv", "SEK", {}, "5,00 SEK"],
    ["EUR", "sv", "SEK", {}, "5,00 kr"],
    ["CNY", "ja", "JPY", {}, "JPY 5"],
    ["NOK", "en", "SEK", {}, "SEK 5.00"],
    ["NOK", "nb", "DKK", {}, "5,00 DKK"],
    ["DKK", "da", "DKK", {}, "5,00 kr."],
    ["CAD", "en-US", "CAD", {}, "$5.00"],
    ["CAD", "en-US", "AUD", {}, "AUD 5.00"],
    ["CAD", "en-GB", "USD", {}, "USD 5.00"],
    [undefined, "en", "SEK", {}, "SEK 5.00"],
    [undefined, "de", "EUR", {}, "5,00 €"],
  ]) {
    setOwnCurrency(own);
    const text = formatMinor(currency === "JPY" ? 5 : 500, currency, { locale, ...options }).replaceAll("\u00a0", " ");
    assert.equal(text, expected, `${currency} in ${locale} for a shop of ${own}`);
  }
  setOwnCurrency(undefined);
});

test("amounts in currency units keep their digits", () => {
  assert.match(formatUnits("0.1", "SEK"), /0[.,]10/);
  assert.match(formatUnits(500, "EUR"), /500[.,]00/);
  assert.equal(formatUnits("none", "EUR"), "none");
});

test("decimals become minor units without rounding", () => {
  assert.equal(toMinor("125.5", "SEK"), 12_550);
  assert.equal(toMinor(1.15, "EUR"), 115);
  assert.equal(toMinor(0.07, "KWD"), 70);
  assert.equal(toMinor("-3", "JPY"), -3);
  assert.equal(toMinor("1e2", "EUR"), 10_000);
  assert.equal(toMinor(1e-7, "EUR"), null);
  assert.equal(toMinor("1.10", "JPY"), null);
  assert.equal(toMinor("1.00", "JPY"), 1);
  assert.equal(toMinor("", "EUR"), null);
  assert.equal(toMinor(".", "EUR"), null);
  assert.equal(toMinor("90071992547409930", "EUR"), null);
  assert.equal(fromMinor(5, "SEK"), "0.05");
  assert.equal(fromMinor(-12_550, "SEK"), "-125.50");
});

test("typed amounts follow the locale", () => {
  assert.equal(parseAmount("1,250.50", "SEK", "en"), 125_050);
  assert.equal(parseAmount("1 250,5", "SEK", "sv"), 125_050);
  assert.equal(parseAmount("12.50", "SEK", "sv"), 1250);
  assert.equal(parseAmount("1.250", "EUR", "de"), 125_000);
  assert.equal(parseAmount("1.250,75", "EUR", "de"), 125_075);
  assert.equal(parseAmount("١٢٫٥", "EUR", "ar-EG"), 1250);
});

test("what could be meant otherwise is no amount", () => {
  assert.equal(parseAmount("12,50", "SEK", "en"), null);
  assert.equal(parseAmount("12.50", "EUR", "de"), null);
  assert.equal(parseAmount("1.5", "JPY", "en"), null);
  assert.equal(parseAmount("", "EUR", "en"), null);
  assert.equal(parseAmount("-5", "EUR", "en"), null);
  assert.equal(parseAmount("1.2.3", "EUR", "en"), null);
});

test("an amount is typed as it is read", () => {
  assert.equal(typedAmount(12_550, "SEK", "en"), "125.50");
  assert.equal(typedAmount(12_550, "EUR", "de"), "125,50");
  assert.equal(typedAmount(1_000_000, "SEK", "en"), "10000");
  assert.equal(typedAmount(5000, "JPY", "en"), "5000");
  for (const [amount, currency] of [[7, "EUR"], [123_456_789, "KWD"], [90, "JPY"]]) {
    for (const locale of ["en", "de", "sv", "ar"]) assert.equal(parseAmount(typedAmount(amount, currency, locale), currency, locale), amount, `${currency} ${locale}`);
  }
});
