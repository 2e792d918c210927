// Orders as a table; on a narrow screen each is two lines.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { orderNumber } from "./order-number.js";
import { store } from "../shell/store.js";
import { table } from "../shell/table.js";

/** @typedef {import("/portal-api/index.js").Schemas["OrderSummary"]} Order */

/** @type {import("../shell/table.js").Column<Order>[]} */
const COLUMNS = [
  { title: "Customer", cell: customer, look: "truncate" },
  { title: "Status", cell: ({ status }) => badge(status, "order"), narrow: "end" },
  { title: "Order", cell: ({ id }) => orderNumber(id), narrow: "hidden" },
  { title: "Date", cell: ({ createdAt }) => formatDateTime(createdAt, store.timeZone), look: "muted nowrap" },
  { title: "Amount", cell: amount, number: true, narrow: "end" },
];

/** @param {Order[]} orders */
export const orderTable = (orders) => table({ caption: "Orders", columns: COLUMNS, rows: orders, linked: true });

/** @param {Order} order */
function customer({ id, buyerName, buyerEmail }) {
  const buyer = buyerName ?? buyerEmail;
  const second = html`<span class="truncate small faint" title=${buyerEmail ?? ""}
    >${buyerName ? buyerEmail : "Guest"}</span
  >`;
  return html`<a class="row truncate" dir="auto" href=${`/orders/${encodeURIComponent(id)}`} title=${buyer ?? id}
      >${buyer ?? "Guest"}</a
    >
    ${buyerEmail ? second : nothing}`;
}

/** @param {Order} order @param {boolean} code */
function amount({ totalAmountMinor, currency }, code) {
  return html`<b><bdi>${formatMinor(totalAmountMinor, currency, { code })}</bdi></b>`;
}
