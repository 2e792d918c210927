// Who is left out of a run, and why.

import { html, nothing } from "/kit/vendor/lit.js";
import { settlementCount } from "../payouts/payout-state.js";
import { codedAmount, LEFT_OUT } from "./payout-words.js";

/** @typedef {import("../shell/store.js").Schemas["LeftOut"]} LeftOut */

/** @param {readonly LeftOut[]} leftOut @param {string} title */
export function leftOutPanel(leftOut, title) {
  if (leftOut.length === 0) return nothing;
  return html`<section class="panel">
    <header><h2>${title}</h2></header>
    <ul class="rows">
      ${leftOut.map(row)}
    </ul>
  </section>`;
}

/** @param {LeftOut} one */
function row(one) {
  const [why, what] = LEFT_OUT[one.reason] ?? [one.reason, ""];
  return html`<li>
    <span class="two-lines grow">
      <a class="wrap" dir="auto" href=${`/merchants/${encodeURIComponent(one.merchantId)}`}>
        ${one.merchantName || one.merchantId}
      </a>
      <span class="small wrap"><b>${why}.</b> <span class="muted">${what}</span></span>
    </span>
    <span class="amounts">
      <b><bdi>${codedAmount(one)}</bdi></b
      ><span class="small muted">${settlementCount(one.count)}</span>
    </span>
  </li>`;
}
