// Payouts: what is pending, what was paid, and each settlement with its fee.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { property } from "/portal-api/errors.js";
import { api, call } from "../api.js";
import { exportButton } from "../exports.js";
import { formatFee } from "../fees.js";
import { icon } from "../icons.js";
import { Page, Resource } from "../page.js";
import { formatCount, head, nothingYet, stat, states, statSkeletons } from "../parts.js";
import { store } from "../store.js";

/** @typedef {import("../store.js").Schemas["Settlement"]} Settlement */

const TAKE = 25;

class PayoutsPage extends Page {
  summary = new Resource(this, () => call(() => api.GET("/api/bff/settlements/summary")));
  list = new Resource(this, () =>
    call(() => api.GET("/api/bff/settlements", { params: { query: { take: TAKE, skip: (this.number - 1) * TAKE } } })),
  );

  get number() {
    return Math.max(1, Math.floor(Number(this.query.get("page")) || 1));
  }

  arrive() {
    if (!this.summary.data) this.summary.load();
    this.list.load();
  }

  render() {
    return html`${head("Payouts", "What the platform owes your business", exportButton("settlements"))}
      ${states(this.summary, {
        what: "The summary",
        skeleton: statSkeletons(3, "short"),
        ready: (sum) =>
          html`<dl class="stats panel">
            ${stat({ label: "Pending", value: formatMinor(sum.pendingNetMinor, sum.currency) })}${stat({ label: "Paid this month", value: formatMinor(sum.paidThisPeriodNetMinor, sum.currency) })}${stat({ label: "Settlements waiting", value: formatCount(sum.unsettledCount) })}
          </dl>`,
      })}
      <section class="panel">
        <header><h2>Settlements</h2></header>
        ${states(this.list, { what: "Settlements", rows: 10, ready: ({ rows, total }) => this.rows(rows, total) })}
      </section>`;
  }

  /** @param {Settlement[]} rows @param {number} total */
  rows(rows, total) {
    if (rows.length === 0)
      return nothingYet("settlements", "What you are paid for sales and redemptions appears here.");
    const first = (this.number - 1) * TAKE + 1;
    const last = first + rows.length - 1;
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
            ${rows.map(
              (row) =>
                html`<tr role="row">
                  <td role="cell">
                    ${row.orderId ? html`<a href=${`/orders/${encodeURIComponent(row.orderId)}`}>${row.sourceType === "ORDER" ? "Sale" : "Redemption"}</a>` : row.sourceType === "ORDER" ? "Sale" : "Redemption"}
                    <span class="small faint narrow-only"
                      ><bdi>${formatMinor(row.grossAmountMinor, row.currency)}</bdi> less
                      <bdi>${formatMinor(row.feeAmountMinor, row.currency)}</bdi> fee</span
                    >
                  </td>
                  <td role="cell" class="end">
                    ${badge(row.status, "settlement")}${row.held ? html` <span class="small muted">held back</span>` : nothing}
                  </td>
                  <td role="cell" class="muted nowrap">${formatDate(row.eligibleAt, store.timeZone)}</td>
                  <td role="cell" class="num wide-only">
                    <bdi>${formatMinor(row.grossAmountMinor, row.currency)}</bdi>
                  </td>
                  <td role="cell" class="num wide-only" title=${feeTerms(row)}>
                    <bdi>${formatMinor(row.feeAmountMinor, row.currency)}</bdi><br /><span class="small faint"
                      >${feeTerms(row)}</span
                    >
                  </td>
                  <td role="cell" class="num end">
                    <b><bdi>${formatMinor(row.netAmountMinor, row.currency)}</bdi></b>
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <nav class="pages" aria-label="Pages of settlements">
        <span class="muted" role="status">${formatCount(first)}–${formatCount(last)} of ${formatCount(total)}</span>
        ${this.number > 1 ? html`<a class="button" href=${`/payouts?page=${this.number - 1}`}>${icon("back", { mirror: true })}Newer</a>` : nothing}
        ${last < total ? html`<a class="button" href=${`/payouts?page=${this.number + 1}`}>Older${icon("next", { mirror: true })}</a>` : nothing}
      </nav>`;
  }
}

/** The fee as it was agreed when the settlement was made. @param {Settlement} row */
function feeTerms({ feeSnapshot, currency }) {
  const [bps, fixed] = [property(feeSnapshot, "percentBps"), property(feeSnapshot, "fixedMinor")];
  return formatFee(typeof bps === "number" ? bps : 0, typeof fixed === "number" ? fixed : 0, currency);
}

customElements.define("payouts-page", PayoutsPage);
