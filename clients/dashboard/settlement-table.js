// Settlements as a table, each with the fee as it was agreed when it was made.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { property } from "/portal-api/errors.js";
import { formatFee } from "./fees.js";
import { may, store } from "./store.js";
import { table } from "./table.js";

/** @typedef {import("./store.js").Schemas["Settlement"]} Settlement */

/** @type {import("./table.js").Column<Settlement>[]} */
const COLUMNS = [
  { title: "For", cell: (row) => html`${source(row)}${lessFee(row)}` },
  { title: "Status", cell: (row) => html`${badge(row.status, "settlement")}${heldNote(row)}`, narrow: "end" },
  { title: "Payable from", cell: (row) => formatDate(row.eligibleAt, store.timeZone), look: "muted nowrap" },
  { title: "Amount", cell: (row) => amount(row.grossAmountMinor, row), number: true, narrow: "hidden" },
  { title: "Fee", cell: fee, number: true, narrow: "hidden" },
  { title: "You get", cell: (row) => html`<b>${amount(row.netAmountMinor, row)}</b>`, number: true, narrow: "end" },
];

/** @param {readonly Settlement[]} settlements */
export const settlementTable = (settlements) => table({ caption: "Settlements", columns: COLUMNS, rows: settlements });

/** @param {number} minor @param {Settlement} settlement */
const amount = (minor, { currency }) => html`<bdi>${formatMinor(minor, currency)}</bdi>`;

/** @param {Settlement} settlement */
function lessFee(settlement) {
  const [gross, kept] = [
    amount(settlement.grossAmountMinor, settlement),
    amount(settlement.feeAmountMinor, settlement),
  ];
  return html`<span class="small faint narrow-only">${gross} less ${kept} fee</span>`;
}

/** @param {Settlement} settlement */
const heldNote = ({ held }) => (held ? html` <span class="small muted">held back</span>` : nothing);

/** @param {Settlement} settlement */
function fee(settlement) {
  return html`${amount(settlement.feeAmountMinor, settlement)}<br /><span class="small faint"
      >${feeTerms(settlement)}</span
    >`;
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
