// An amount pad. Digits fill from the right, as on a cash register: 1 2 5 5 0 is 125.50.

import { html } from "/kit/vendor/lit.js";
import { exponentOf } from "/kit/money.js";
import { icon } from "./view.js";

const MAX_DIGITS = 9;

/**
 * The amount after a key; unchanged for a key that does not fit.
 *
 * @param {number} amount minor units
 * @param {string} key "0" to "9", "00", "000" or "Backspace"
 */
export function pressKey(amount, key) {
  if (key === "Backspace") return Math.floor(amount / 10);
  if (!/^(\d|000?)$/.test(key)) return amount;
  const next = amount * 10 ** key.length + Number(key);
  return String(next).length <= MAX_DIGITS ? next : amount;
}

/**
 * @param {string} currency
 * @param {(key: string) => void} onKey
 */
export function keypad(currency, onKey) {
  // A currency without decimals, or with three, is typed in thousands.
  const corner = exponentOf(currency) % 3 === 0 ? "000" : "00";
  const key = (/** @type {string} */ name) => html`<button type="button" @click=${() => onKey(name)}>${name}</button>`;
  return html`
    <div class="keys keypad" role="group" aria-label="Amount">
      ${["1", "2", "3", "4", "5", "6", "7", "8", "9", corner, "0"].map(key)}
      <button type="button" aria-label="Delete digit" @click=${() => onKey("Backspace")}>${icon("erase")}</button>
    </div>`;
}
