// Merchants by what is due to them now, with the largest sum of each currency first.

import { html, nothing } from "/kit/vendor/lit.js";
import { settlementCount } from "../payouts/payout-state.js";
import { empty, formatCount } from "../shell/parts.js";
import { loadSheet } from "../shell/styles.js";
import { codedAmount, LEFT_OUT, totals } from "./payout-words.js";

/** @typedef {import("./payout-preview.js").Preview} Preview */
/** One for each merchant and currency; `reason`: why a run would not pay it. @typedef {Preview["payouts"][number] & {reason?: Preview["leftOut"][number]["reason"]}} Due */

/** @param {Preview} preview */
export function duePanels({ payouts, leftOut, next }) {
  /** @type {Due[]} */
  const all = [...payouts, ...leftOut.filter(({ reason }) => reason !== "OTHER_KIND")];
  const currencies = [...new Set(all.map(({ currency }) => currency))].toSorted();
  const ofCurrency = (/** @type {string} */ code) => all.filter(({ currency }) => currency === code).toSorted(bySum);
  return html`${
    all.length === 0
      ? html`<div class="panel">${empty("Nothing is due", "Settlements appear here once they are eligible.")}</div>`
      : currencies.map((code) => panel(code, ofCurrency(code)))
  }
  ${next ? html`<p class="none muted">There are more merchants than can be compared here.</p>` : nothing}`;
}

/** What cannot be added up is the largest. @param {Due} one @param {Due} other */
const bySum = (one, other) => (other.netAmountMinor ?? Infinity) - (one.netAmountMinor ?? Infinity) || 0;

/** @param {string} currency @param {Due[]} rows */
function panel(currency, rows) {
  return html`<section class="panel" aria-label=${`Due in ${currency}`}>
    <header>
      <h2>${totals(rows)[0] ?? currency}</h2>
      <span class="muted">${formatCount(rows.length)} ${rows.length === 1 ? "merchant" : "merchants"}</span>
    </header>
    <ul class="rows">
      ${rows.map(row)}
    </ul>
  </section>`;
}

/** @param {Due} due */
function row(due) {
  const { merchantId, merchantName, reason, count } = due;
  return html`<li>
    <span class="two-lines grow">
      <a class="wrap" dir="auto" href=${`/merchants/${encodeURIComponent(merchantId)}`}
        >${merchantName || merchantId}</a
      >
      ${reason ? html`<span class="small muted wrap">${LEFT_OUT[reason]?.[0] ?? reason}</span>` : nothing}
    </span>
    <span class="amounts">
      <b><bdi>${codedAmount(due)}</bdi></b
      ><span class="small muted">${settlementCount(count)}</span>
    </span>
  </li>`;
}

await loadSheet("/desk.css");
