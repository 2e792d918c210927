// Settlements as a table, each with the fee as it was agreed when it was made.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, toneBadge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate, formatDateTime } from "/kit/time.js";
import { property } from "/portal-api/errors.js";
import { formatFee } from "./fees.js";
import { HELD } from "../orders/held.js";
import { orderNumber } from "../orders/order-number.js";
import { may, store } from "../shell/store.js";
import { table } from "../shell/table.js";

/** @typedef {import("../shell/store.js").Schemas["Settlement"]} Settlement */

/** @typedef {import("../shell/table.js").Column<Settlement>} Column */

/** @type {Column} */
const STATUS = { title: "Status", cell: status, narrow: "end" };
/** @type {Column} */
const SOURCE = {
  title: "For",
  cell: (row, code) => html`${source(row)}${isOwnSale(row) ? nothing : lessFee(row, code)}${heldNote(row)}`,
};
/** @type {Column} */
const DATE = {
  title: "Payable from",
  cell: (row) => unlessOwn(row, formatDate(row.eligibleAt, store.timeZone)),
  look: "muted nowrap",
};
/** @type {Column} */
const GROSS = {
  title: "Amount",
  cell: (row, code) => amount(row.grossAmountMinor, row, code),
  number: true,
  narrow: "hidden",
};
/** @type {Column} */
const NET = {
  title: "You get",
  cell: (row, code) => unlessOwn(row, html`<b>${amount(row.netAmountMinor, row, code)}</b>`),
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
    ? { title: "Fee", cell: (row, code) => unlessOwn(row, feeWithTerms(row, code)), number: true, narrow: "hidden" }
    : {
        title: `Fee, ${terms}`,
        cell: (row, code) => unlessOwn(row, amount(row.feeAmountMinor, row, code)),
        number: true,
        narrow: "hidden",
      };
  /** @type {Column[]} */
  const dated = withStatus ? [STATUS, DATE] : [{ ...DATE, narrow: "hidden" }];
  const columns = [SOURCE, ...dated, GROSS, fee, NET];
  return table({ caption: "Settlements", columns, rows: settlements, linked: may("portal.orders") });
}

/** @param {number} minor @param {Settlement} settlement @param {boolean} code */
const amount = (minor, { currency }, code) => html`<bdi>${formatMinor(minor, currency, { code })}</bdi>`;

/** Nothing is paid out for a card that the merchant sold itself. @param {Settlement} settlement */
const isOwnSale = ({ heldBecause }) => heldBecause === "OWN_SALE";

/** @param {Settlement} settlement @param {unknown} content */
const unlessOwn = (settlement, content) => (isOwnSale(settlement) ? html`<span class="faint">–</span>` : content);

/** @param {Settlement} settlement */
function status(settlement) {
  return isOwnSale(settlement) ? toneBadge("neutral", "Not paid out") : badge(settlement.status, "settlement");
}

/** @param {Settlement} settlement @param {boolean} code */
function lessFee(settlement, code) {
  const [gross, kept] = [
    amount(settlement.grossAmountMinor, settlement, code),
    amount(settlement.feeAmountMinor, settlement, code),
  ];
  return html`<span class="small faint narrow-only">${gross} less ${kept} fee</span>`;
}

/** @param {Settlement} settlement */
const heldNote = ({ heldBecause }) =>
  heldBecause ? html`<div class="small muted">${HELD[heldBecause]}</div>` : nothing;

/** @param {Settlement} settlement @param {boolean} code */
function feeWithTerms(settlement, code) {
  return html`${amount(settlement.feeAmountMinor, settlement, code)}<br /><span class="small faint"
      >${feeTerms(settlement)}</span
    >`;
}

/** @param {Settlement} settlement */
function source({ sourceType, orderId, createdAt }) {
  const word = `${sourceType === "ORDER" ? "Sale" : "Redemption"}, ${formatDateTime(createdAt, store.timeZone)}`;
  if (!orderId || !may("portal.orders")) return word;
  return html`<a class="row" href=${`/orders/${encodeURIComponent(orderId)}`}>${word}</a>
    <span class="wide-only">${orderNumber(orderId)}</span>`;
}

/** @param {Settlement} settlement */
function feeTerms({ feeSnapshot, currency }) {
  const [bps, fixed] = [property(feeSnapshot, "percentBps"), property(feeSnapshot, "fixedMinor")];
  return formatFee(typeof bps === "number" ? bps : 0, typeof fixed === "number" ? fixed : 0, currency);
}
