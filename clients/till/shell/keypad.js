// The amount pad, and what an amount is entered with: see amount-entry.js.

import { html } from "/kit/vendor/lit.js";
import { exponentOf } from "/kit/money.js";
import { AmountEntry, tap } from "./amount-entry.js";
import { locale, t } from "./text.js";
import { icon } from "./view.js";

/**
 * @param {string} currency
 * @param {number} [amount] chosen for the cashier
 */
export function newEntry(currency, amount) {
  const parts = new Intl.NumberFormat(locale()).formatToParts(1.1);
  const sign = parts.find(({ type }) => type === "decimal")?.value;
  const entry = new AmountEntry({ currency, decimals: exponentOf(currency), decimalSign: sign === "," ? "," : "." });
  if (amount) entry.choose(amount, performance.now());
  return entry;
}

/**
 * @param {string} currency
 * @param {(key: string, stroke: {at: number, isFast: boolean}) => void} onKey
 */
export function keypad(currency, onKey) {
  // A currency without decimals, or with three, is typed in thousands.
  const corner = exponentOf(currency) % 3 === 0 ? "000" : "00";
  const press = (/** @type {string} */ name) => () => onKey(name, tap(performance.now()));
  const key = (/** @type {string} */ name) =>
    html`<button type="button" @mousedown=${keepFocus} @click=${press(name)}>${name}</button>`;
  return html` <div class="keys keypad" role="group" aria-label=${t("keypad-label")}>
    ${["1", "2", "3", "4", "5", "6", "7", "8", "9", corner, "0"].map(key)}
    <button type="button" aria-label=${t("keypad-erase")} @mousedown=${keepFocus} @click=${press("Backspace")}>
      ${icon("erase")}
    </button>
  </div>`;
}

/** A key that was tapped is not pressed again by Enter. @param {Event} event */
function keepFocus(event) {
  event.preventDefault();
}
