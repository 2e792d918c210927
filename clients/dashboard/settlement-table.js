// Settlements as a table, each with the fee as it was agreed when it was made.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { property } from "/portal-api/errors.js";
import { formatFee } from "./fees.js";
import { orderNumber } from "./order-number.js";
import { may, store } from "./store.js";
import { table } from "./table.js";

/** @typedef {import("./store.js").Schemas["Settlement"]} Settlement */

/** @typedef {import("./table.js").Column<Settlement>} Column */

/** @type {Column} */
const STATUS = {
  title: "Status",
  cell: (row) => html`${badge(row.status, "settlement")}${heldNote(row)}`,
  narrow: "end",
};
/** @type {Column} */
const SOURCE = { title: "For", cell: (row) => html`${source(row)}${lessFee(row)}` };
/** @type {Column} */
const DATE = { title: "Payable from", cell: (row) => formatDate(row.eligibleAt, store.timeZone), look: "muted nowrap" };
/** @type {Column} */
const GROSS = { title: "Amount", cell: (row) => amount(row.grossAmountMinor, row), number: true, narrow: "hidden" };
/** @type {Column} */
const NET = {
  title: "You get",
  cell: (row) => html`<b>${amount(row.netAmountMinor, row)}</b>`,
  number: true,
  narrow: "end",
};

/**
 * Fees that are all agreed alike are named once.
 * @param {readonly Settlement[]} settlements
 * @param {{withStatus?: boolean}} [options] false where the page says it of all
 */
export function settlementTable(settlements, { withStatus = true } = {}) {
  const [terms, ...others] = new Set(settlements.map(feeTerms));
  /** @type {Column} */
  const fee = others.length
    ? { title: "Fee", cell: (row) => feeWithTerms(row), number: true, narrow: "hidden" }
    : { title: `Fee, ${terms}`, cell: (row) => amount(row.feeAmountMinor, row), number: true, narrow: "hidden" };
  /** @type {Column[]} */
  const dated = withStatus ? [STATUS, DATE] : [{ ...DATE, narrow: "hidden" }];
  const columns = [SOURCE, ...dated, GROSS, fee, NET];
  return table({ caption: "Settlements", columns, rows: settlements });
}

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
function feeWithTerms(settlement) {
  return html`${amount(settlement.feeAmountMinor, settlement)}<br /><span class="small faint"
      >${feeTerms(settlement)}</span
    >`;
}

/** @param {Settlement} settlement */
function source({ sourceType, orderId }) {
  const word = sourceType === "ORDER" ? "Sale" : "Redemption";
  if (!orderId || !may("portal.orders")) return word;
  return html`<a href=${`/orders/${encodeURIComponent(orderId)}`}>${word}</a> ${orderNumber(orderId)}`;
}

/** @param {Settlement} settlement */
function feeTerms({ feeSnapshot, currency }) {
  const [bps, fixed] = [property(feeSnapshot, "percentBps"), property(feeSnapshot, "fixedMinor")];
  return formatFee(typeof bps === "number" ? bps : 0, typeof fixed === "number" ? fixed : 0, currency);
}
