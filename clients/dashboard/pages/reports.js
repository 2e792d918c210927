// Reports: four tabs over one period, each a chart with its table.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, toneBadge, wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../api.js";
import { dayChart } from "../chart-place.js";
import { exportButton } from "../exports.js";
import { loadRedemptions, loadSales, moneyReports } from "../money-report.js";
import { Page, Resource } from "../page.js";
import {
  change,
  empty,
  formatCount,
  formatPercent,
  head,
  nothingYet,
  PERIODS,
  periodOf,
  segmented,
  stat,
  states,
  statSkeletons,
} from "../parts.js";
import { ranking, split } from "../rankings.js";
import { goWith } from "../router.js";
import { may, store } from "../store.js";

/** @typedef {import("../store.js").Schemas} Schemas */

const TABS = /** @type {const} */ ([
  ["redemptions", "Redemptions"],
  ["sales", "Sales"],
  ["visits", "Visits"],
  ["fraud", "Fraud checks"],
]);

const SKELETON = html`${statSkeletons(4)}
  <div class="panel chart-space"></div>`;

class ReportsPage extends Page {
  /** @type {7 | 14 | 30 | 90} */
  days = 30;
  redemptions = new Resource(this, () => loadRedemptions(this.days));
  sales = new Resource(this, () => loadSales(this.days));
  visits = new Resource(
    this,
    async () =>
      (await call(() => api.GET("/api/bff/analytics/overview", { params: { query: { days: this.days } } }))).data,
  );
  fraud = new Resource(
    this,
    async () =>
      (await call(() => api.GET("/api/bff/analytics/fraud", { params: { query: { days: this.days } } }))).data,
  );

  /** The reports about money that the merchant has. @type {readonly import("../money-report.js").MoneyReport[] | null} */
  ofMode = null;

  get tab() {
    const tabs = this.tabs();
    return (tabs.find(([tab]) => tab === this.query.get("tab")) ?? tabs[0])?.[0] ?? "visits";
  }

  /** Without the report that the settlement mode leaves out. */
  tabs() {
    return TABS.filter(
      ([tab]) => !(tab === "sales" || tab === "redemptions") || (this.ofMode?.includes(tab) && this[tab].data !== null),
    );
  }

  async arrive() {
    this.days = periodOf(this.query);
    this.ofMode ??= await moneyReports();
    this.requestUpdate();
    const { tab } = this;
    await this[tab].load();
    if (this.tab !== tab) await this[this.tab].load(); // the report was refused, and another one is shown
  }

  render() {
    const { tab } = this;
    const days = this.query.get("days");
    const kind =
      tab === "sales" && may("portal.orders")
        ? exportButton("orders")
        : tab === "redemptions"
          ? exportButton("redemptions")
          : nothing;
    return html`${head("Reports", `Compared with the ${this.days} days before`, html`${segmented("Period", PERIODS, String(this.days), (chosen) => goWith({ days: chosen === "30" ? null : chosen }))}${kind}`)}
      <nav class="tabs" aria-label="Reports">
        ${this.ofMode === null ? nothing : this.tabs().map(([name, word]) => html`<a href=${`/reports?tab=${name}${days ? `&days=${days}` : ""}`} aria-current=${name === tab ? "page" : nothing}>${word}</a>`)}
      </nav>
      ${this.ofMode === null ? SKELETON : this.report(tab)}`;
  }

  /** @param {(typeof TABS)[number][0]} tab */
  report(tab) {
    switch (tab) {
      case "redemptions":
        return states(this.redemptions, {
          what: "Redemptions",
          skeleton: SKELETON,
          ready: (data) => (data ? redemptions(data) : nothing),
        });
      case "sales":
        return states(this.sales, {
          what: "Sales",
          skeleton: SKELETON,
          ready: (data) => (data ? sales(data) : nothing),
        });
      case "visits":
        return states(this.visits, { what: "Visits", skeleton: SKELETON, ready: visits });
      default:
        return states(this.fraud, { what: "Fraud checks", skeleton: SKELETON, ready: fraud });
    }
  }
}

/** @param {string} currency */
const money = (currency) => ({
  format: (/** @type {number} */ value) => formatMinor(value, currency),
  tick: (/** @type {number} */ value) => formatMinor(Math.round(value), currency, { whole: true }),
});

/** @param {{name: string, count: number, valueMinor: number}[]} shares @param {string} currency */
const byAmount = (shares, currency) =>
  shares.map(({ name, valueMinor }) => ({
    name,
    size: valueMinor,
    text: formatMinor(valueMinor, currency, { whole: true }),
  }));
/** @param {{name: string, count: number}[]} shares */
const byCount = (shares) => shares.map(({ name, count }) => ({ name, size: count, text: formatCount(count) }));

/** @template {{name: string}} T @param {T} share @returns {T} */
const inWords = (share) => ({ ...share, name: wordOf(share.name) });

/** @param {Schemas["RedemptionsReport"]} data */
function redemptions({ currency, kpis, series, topStores, sourceSplit, recent }) {
  return html`<dl class="stats panel">
      ${stat({ label: "Redeemed", value: formatMinor(kpis.totalRedeemedMinor.value, currency, { whole: true }), change: change(kpis.totalRedeemedMinor.changePct) })}
      ${stat({ label: "Redemptions", value: formatCount(kpis.succeeded.value), change: change(kpis.succeeded.changePct) })}
      ${stat({ label: "On average", value: kpis.avgRedeemMinor.value === null ? "–" : formatMinor(kpis.avgRedeemMinor.value, currency), change: kpis.avgRedeemMinor.value === null ? nothing : change(kpis.avgRedeemMinor.changePct) })}
      ${stat({ label: "Failed", value: formatCount(kpis.failed.value), change: change(kpis.failed.changePct, { welcome: "less" }) })}
    </dl>
    <section class="panel">
      <header><h2>Redeemed day by day</h2></header>
      ${dayChart("Redeemed day by day", series, [{ label: "Redeemed", values: series.map((day) => day.amountSucceededMinor), color: "--chart-1", ...money(currency) }])}
    </section>
    <div class="thirds">
      ${ranking("By store", byAmount(topStores, currency))}${ranking("By channel", byAmount(sourceSplit.map(inWords), currency))}
    </div>
    <section class="panel">
      <header><h2>Latest redemptions</h2></header>
      ${
        recent.length === 0
          ? nothingYet("redemptions", "What your tills redeem appears here.")
          : html`<div class="table">
              <table role="table">
                <caption class="sr">
                  Latest redemptions
                </caption>
                <thead role="rowgroup">
                  <tr role="row">
                    <th role="columnheader" scope="col">Card</th>
                    <th role="columnheader" scope="col">Status</th>
                    <th role="columnheader" scope="col">Store</th>
                    <th role="columnheader" scope="col">Date</th>
                    <th role="columnheader" scope="col" class="num">Amount</th>
                  </tr>
                </thead>
                <tbody role="rowgroup">
                  ${recent.map(
                    (row) =>
                      html`<tr role="row">
                        <td role="cell" class="mono">•••• ${row.cardRef}</td>
                        <td role="cell" class="end">${badge(row.status, "redemption")}</td>
                        <td role="cell" class="wide-only" dir="auto">${row.storeLabel}</td>
                        <td role="cell" class="muted nowrap">${formatDateTime(row.occurredAt, store.timeZone)}</td>
                        <td role="cell" class="num end">
                          <b><bdi>${formatMinor(row.amountMinor, row.currency)}</bdi></b>
                        </td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
      }
    </section>`;
}

/** @param {Schemas["SalesReport"]} data */
function sales({ currency, kpis, series, statusBreakdown, paymentBreakdown }) {
  return html`<dl class="stats panel">
      ${stat({ label: "Sold", value: formatMinor(kpis.grossRevenueMinor.value, currency, { whole: true }), change: change(kpis.grossRevenueMinor.changePct) })}
      ${stat({ label: "Completed orders", value: formatCount(kpis.completed.value), change: change(kpis.completed.changePct) })}
      ${stat({ label: "On average", value: kpis.avgCompletedMinor.value === null ? "–" : formatMinor(kpis.avgCompletedMinor.value, currency), change: kpis.avgCompletedMinor.value === null ? nothing : change(kpis.avgCompletedMinor.changePct) })}
      ${stat({ label: "Orders placed", value: formatCount(kpis.ordersPlaced.value), change: change(kpis.ordersPlaced.changePct) })}
    </dl>
    <section class="panel">
      <header><h2>Sold day by day</h2></header>
      ${dayChart("Sold day by day", series, [{ label: "Sold", values: series.map((day) => day.revenueMinor), color: "--chart-1", ...money(currency) }])}
    </section>
    <div class="thirds">
      ${ranking("Orders by status", byCount(statusBreakdown.map(inWords)))}${ranking("Orders by payment", byCount(paymentBreakdown.map(inWords)))}
    </div>`;
}

/** @param {Schemas["OverviewReport"]} data */
function visits({ kpis, series, embedSplit, entrySplit }) {
  const rate = kpis.visitToOrderPct;
  return html`<dl class="stats panel">
      ${stat({ label: "Visits", value: formatCount(kpis.uniqueSessions.value), change: change(kpis.uniqueSessions.changePct) })}
      ${stat({ label: "Orders", value: formatCount(kpis.ordersPlaced.value), change: change(kpis.ordersPlaced.changePct) })}
      ${stat({ label: "Order rate", value: rate.valuePct === null ? "–" : formatPercent(rate.valuePct), change: rate.valuePct === null ? nothing : change(rate.changePp, { points: true }) })}
    </dl>
    <section class="panel">
      <header><h2>Visits and orders day by day</h2></header>
      ${dayChart("Visits and orders day by day", series, [
        { label: "Visits", values: series.map((day) => day.sessions), color: "--chart-3", format: formatCount },
        { label: "Orders", values: series.map((day) => day.orders), color: "--chart-1", format: formatCount },
      ])}
    </section>
    <div class="thirds">
      ${ranking("Where visits come from", byCount(embedSplit))}${ranking("First page", byCount(entrySplit))}
    </div>`;
}

/** @param {Schemas["FraudReport"]} data */
function fraud({ kpis, breakdown, recentEvents }) {
  return html`<dl class="stats panel">
      ${stat({ label: "Passed", value: kpis.passRate.valuePct === null ? "–" : formatPercent(kpis.passRate.valuePct), change: kpis.passRate.valuePct === null ? nothing : change(kpis.passRate.changePp, { points: true }) })}
      ${stat({ label: "In review", value: formatCount(kpis.underReview.value), change: change(kpis.underReview.changePct, { welcome: "less" }) })}
      ${stat({ label: "Blocked", value: formatCount(kpis.blocked.value), change: change(kpis.blocked.changePct, { welcome: "less" }) })}
    </dl>
    <section class="panel">
      <header><h2>Checked orders</h2></header>
      <div class="inset">${split(breakdown)}</div>
    </section>
    <section class="panel">
      <header><h2>Latest decisions</h2></header>
      ${
        recentEvents.length === 0
          ? empty("No decisions", "No order was blocked or sent to review in this period.")
          : html`<ul class="rows">
              ${recentEvents.map(
                (event) =>
                  html`<li>
                    <span class="two-lines grow"
                      ><a class="wrap" href=${`/orders/${encodeURIComponent(event.id)}`}>Order ${event.id}</a
                      ><span class="small muted wrap">${event.reason}</span></span
                    >${event.action === "Blocked" ? toneBadge("bad", "Blocked") : toneBadge("warn", event.action)}<span
                      class="amounts"
                      ><b><bdi>${event.amountLabel}</bdi></b
                      ><span class="small faint">${formatDateTime(event.occurredAt, store.timeZone)}</span></span
                    >
                  </li>`,
              )}
            </ul>`
      }
    </section>`;
}

customElements.define("reports-page", ReportsPage);
