// How the server writes amounts and days in each language, without a browser: as Intl does.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";

const KEPT = join(import.meta.dirname, "../../shared/src/values/snapshots/shared__values__language__tests__formats.snap");
const [, , json] = (await readFile(KEPT, "utf8")).split(/^---$/m);

/** The server's English is British, and it has one yen sign. */
const locale = (language) => (language === "en" ? "en-GB" : language);
const sameYen = (text) => text.replace("￥", "¥");

function amount(language, currency, units, label) {
    const digits = /[1-9]/.test(units.split(".")[1] ?? "") ? units.split(".")[1].length : 0;
    const options = { style: "currency", currency, currencyDisplay: label.toLowerCase(), minimumFractionDigits: digits, maximumFractionDigits: digits };
    return sameYen(new Intl.NumberFormat(locale(language), options).format(units));
}

function day(language, date) {
    return new Intl.DateTimeFormat(locale(language), { dateStyle: "long", timeZone: "UTC" }).format(new Date(date));
}

for (const [language, texts] of Object.entries(JSON.parse(json))) {
    test(`amounts and days in ${language} are those of Intl`, () => {
        const expected = Object.keys(texts).map((value) => {
            const [currency, units, label] = value.split(" ");
            return [value, units ? amount(language, currency, units, label) : day(language, value)];
        });
        assert.deepEqual(texts, Object.fromEntries(expected));
    });
}
