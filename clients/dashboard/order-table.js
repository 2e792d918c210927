// Orders as a table; on a narrow screen each is two lines.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { store } from "./store.js";

/** @param {import("/portal-api/index.js").Schemas["OrderSummary"][]} orders */
export function orderTable(orders) {
  return html`<div class="table orders">
    <table role="table">
      <caption class="sr">
        Orders
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Customer</th>
          <th role="columnheader" scope="col">Status</th>
          <th role="columnheader" scope="col">Order</th>
          <th role="columnheader" scope="col">Date</th>
          <th role="columnheader" scope="col" class="num">Amount</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${orders.map(orderRow)}
      </tbody>
    </table>
  </div>`;
}

/** @param {import("/portal-api/index.js").Schemas["OrderSummary"]} order */
function orderRow({ id, buyerName, buyerEmail, status, createdAt, totalAmountMinor, currency }) {
  const buyer = buyerName ?? buyerEmail;
  const second = html`<span class="truncate small faint" title=${buyerEmail ?? ""}
    >${buyerName ? buyerEmail : "Guest"}</span
  >`;
  return html`<tr role="row" class="link">
    <td role="cell" class="truncate">
      <a class="row truncate" dir="auto" href=${`/orders/${encodeURIComponent(id)}`} title=${buyer ?? id}
        >${buyer ?? "Guest"}</a
      >
      ${buyerEmail ? second : nothing}
    </td>
    <td role="cell" class="end">${badge(status, "order")}</td>
    <td role="cell" class="wide-only"><span class="mono muted">${id}</span></td>
    <td role="cell" class="muted nowrap">${formatDateTime(createdAt, store.timeZone)}</td>
    <td role="cell" class="num end">
      <b><bdi>${formatMinor(totalAmountMinor, currency)}</bdi></b>
    </td>
  </tr>`;
}
