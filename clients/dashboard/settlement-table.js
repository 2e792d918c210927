// Settlements as a table, each with the fee as it was agreed when it was made.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { property } from "/portal-api/errors.js";
import { formatFee } from "./fees.js";
import { may, store } from "./store.js";

/** @typedef {import("./store.js").Schemas["Settlement"]} Settlement */

/** @param {readonly Settlement[]} settlements */
export function settlementTable(settlements) {
  return html`<div class="table">
    <table role="table">
      <caption class="sr">
        Settlements
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">For</th>
          <th role="columnheader" scope="col">Status</th>
          <th role="columnheader" scope="col">Payable from</th>
          <th role="columnheader" scope="col" class="num">Amount</th>
          <th role="columnheader" scope="col" class="num">Fee</th>
          <th role="columnheader" scope="col" class="num">You get</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${settlements.map(row)}
      </tbody>
    </table>
  </div>`;
}

/** @param {Settlement} settlement */
function row(settlement) {
  const { currency, status, held, eligibleAt } = settlement;
  const gross = formatMinor(settlement.grossAmountMinor, currency);
  const fee = formatMinor(settlement.feeAmountMinor, currency);
  return html`<tr role="row">
    <td role="cell">
      ${source(settlement)}
      <span class="small faint narrow-only"><bdi>${gross}</bdi> less <bdi>${fee}</bdi> fee</span>
    </td>
    <td role="cell" class="end">
      ${badge(status, "settlement")}${held ? html` <span class="small muted">held back</span>` : nothing}
    </td>
    <td role="cell" class="muted nowrap">${formatDate(eligibleAt, store.timeZone)}</td>
    <td role="cell" class="num wide-only"><bdi>${gross}</bdi></td>
    <td role="cell" class="num wide-only">
      <bdi>${fee}</bdi><br /><span class="small faint">${feeTerms(settlement)}</span>
    </td>
    <td role="cell" class="num end">
      <b><bdi>${formatMinor(settlement.netAmountMinor, currency)}</bdi></b>
    </td>
  </tr>`;
}

/** @param {Settlement} settlement */
function source({ sourceType, orderId }) {
  const word = sourceType === "ORDER" ? "Sale" : "Redemption";
  return orderId && may("portal.orders") ? html`<a href=${`/orders/${encodeURIComponent(orderId)}`}>${word}</a>` : word;
}

/** @param {Settlement} settlement */
function feeTerms({ feeSnapshot, currency }) {
  const [bps, fixed] = [property(feeSnapshot, "percentBps"), property(feeSnapshot, "fixedMinor")];
  return formatFee(typeof bps === "number" ? bps : 0, typeof fixed === "number" ? fixed : 0, currency);
}
