// Overview: what waits, the figures of the period, its days, money and latest orders.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { dateKeyOf, daysBefore, formatDay } from "/kit/time.js";
import { api, call } from "../api.js";
import { dayChart } from "../chart-place.js";
import { loadRedemptions, loadSales, moneyReports } from "../money-report.js";
import { orderTable } from "../order-table.js";
import { Page, Resource } from "../page.js";
import {
  change,
  formatCount,
  formatPercent,
  head,
  nothingYet,
  PERIODS,
  periodOf,
  ranking,
  segmented,
  split,
  stat,
  states,
  statSkeletons,
} from "../parts.js";
import { goWith } from "../router.js";
import { may, mayChange, store } from "../store.js";

class OverviewPage extends Page {
  /** @type {7 | 14 | 30 | 90} */
  days = 30;
  /** @type {"money" | "visits"} */
  shape = "money";

  figures = new Resource(this, async () => {
    const days = this.days;
    const [overview, money] = await Promise.all([
      call(() => api.GET("/api/bff/analytics/overview", { params: { query: { days } } })),
      loadMoney(days),
    ]);
    return { overview: overview.data, money };
  });
  payout = new Resource(this, () => call(() => api.GET("/api/bff/settlements/summary")));
  orders = new Resource(this, async () => {
    const [orders] = await Promise.all([
      call(() => api.GET("/api/bff/merchant-orders", { params: { query: { page: 1, pageSize: 8 } } })),
      store.profile,
    ]);
    return orders.data;
  });
  team = new Resource(this, async () => (await call(() => api.GET("/api/bff/merchant/users"))).data);

  arrive() {
    this.days = periodOf(this.query);
    this.figures.load();
    if (this.orders.data) return; // only the period changed
    if (may("portal.reports")) this.payout.load();
    if (may("portal.orders")) this.orders.load();
    if (mayChange("merchant.team.invite")) this.team.load();
  }

  render() {
    const since = formatDay(daysBefore(dateKeyOf(Date.now(), store.timeZone), this.days - 1));
    const note = `${since} to today, compared with the ${this.days} days before`;
    return html`${head(
      "Overview",
      note,
      segmented("Period", PERIODS, String(this.days), (days) => goWith({ days: days === "30" ? null : days })),
    )}
    ${this.waiting()}
    ${states(this.figures, {
      what: "Figures",
      skeleton: html`${statSkeletons(4)}
        <div class="beside">
          <div class="panel chart-space"></div>
          <div class="panel chart-space"></div>
        </div>`,
      ready: ({ overview, money }) => this.report(overview, money),
    })}
    ${
      may("portal.orders")
        ? html`<section class="panel">
            <header>
              <h2>Latest orders</h2>
              <a href="/orders">All orders</a>
            </header>
            ${states(this.orders, { what: "Orders", rows: 8, ready: ({ orders }) => (orders.length ? orderTable(orders) : nothingYet("orders", "Sales from your shop and tills appear here.")) })}
          </section>`
        : nothing
    }
    ${this.figures.data ? this.rankings(this.figures.data) : nothing}`;
  }

  waiting() {
    const review = this.figures.data?.overview.fraudBreakdown.find((part) => part.name === "Review")?.value ?? 0;
    const toConfirm = (this.team.data ?? []).filter((item) => item.status === "Pending your verification").length;
    return html`<section class="panel waiting" aria-label="Waiting for you">
      <span class="muted">Waiting for you</span
      >${review + toConfirm === 0 ? html`<span class="faint">${this.figures.data ? "Nothing" : ""}</span>` : nothing}
      ${review ? html`<a href="/orders?status=PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW"><span class="warn tone" aria-hidden="true">!</span>${formatCount(review)} ${review === 1 ? "order" : "orders"} in fraud review</a>` : nothing}
      ${toConfirm ? html`<a href="/team"><span class="warn tone" aria-hidden="true">!</span>${formatCount(toConfirm)} ${toConfirm === 1 ? "invitation" : "invitations"} to confirm</a>` : nothing}
    </section>`;
  }

  /** @param {import("../money-report.js").Schemas["OverviewReport"]} overview @param {Money | null} money */
  report(overview, money) {
    const { kpis, series } = overview;
    const rates = series.map((day) => (day.sessions > 0 ? day.orders / day.sessions : 0));
    return html`<dl class="stats panel">
        ${
          money
            ? html`${stat({ label: money.word, value: formatMinor(money.total, money.currency, { whole: true }), change: change(money.totalChange), shape: money.days.map((day) => day.amount) })}
              ${stat({ label: money.countWord, value: formatCount(money.count), change: change(money.countChange), shape: money.days.map((day) => day.count) })}`
            : stat({
                label: "Visits",
                value: formatCount(kpis.uniqueSessions.value),
                change: change(kpis.uniqueSessions.changePct),
                shape: series.map((day) => day.sessions),
              })
        }
        ${stat({ label: "Orders", value: formatCount(kpis.ordersPlaced.value), change: change(kpis.ordersPlaced.changePct), shape: series.map((day) => day.orders) })}
        ${stat({ label: "Order rate", value: kpis.visitToOrderPct.valuePct === null ? "–" : formatPercent(kpis.visitToOrderPct.valuePct), change: kpis.visitToOrderPct.valuePct === null ? html`<span class="change">No visits</span>` : change(kpis.visitToOrderPct.changePp, { points: true }), shape: rates })}
      </dl>
      <div class="beside">
        <section class="panel">
          <header>
            <h2>Day by day</h2>
            ${
              money
                ? segmented(
                    "Figures of the chart",
                    /** @type {const} */ ([
                      ["money", money.word],
                      ["visits", "Visits and orders"],
                    ]),
                    this.shape,
                    (shape) => {
                      this.shape = shape;
                      this.requestUpdate();
                    },
                  )
                : nothing
            }
          </header>
          ${
            money && this.shape === "money"
              ? dayChart(`${money.word} day by day`, series, [
                  {
                    label: money.word,
                    note: html`<b
                        ><bdi
                          >${formatMinor(Math.round(money.total / series.length), money.currency, { whole: true })}</bdi
                        ></b
                      >
                      a day`,
                    values: money.days.map((day) => day.amount),
                    color: "--chart-1",
                    format: (value) => formatMinor(value, money.currency),
                    tick: (value) => formatMinor(Math.round(value), money.currency, { whole: true }),
                  },
                ])
              : dayChart("Visits and orders day by day", series, [
                  {
                    label: "Visits",
                    note: money ? html`<b>${formatCount(kpis.uniqueSessions.value)}</b>` : undefined,
                    values: series.map((day) => day.sessions),
                    color: "--chart-3",
                    format: formatCount,
                  },
                  { label: "Orders", values: series.map((day) => day.orders), color: "--chart-1", format: formatCount },
                ])
          }
        </section>
        <div class="stack">
          ${may("portal.reports") ? this.nextPayout() : nothing}
          <section class="panel">
            <header>
              <h2>Fraud checks</h2>
              <a href="/reports?tab=fraud">Report</a>
            </header>
            <div class="inset">${split(overview.fraudBreakdown)}</div>
          </section>
        </div>
      </div>`;
  }

  nextPayout() {
    return html`<section class="panel">
      <header>
        <h2>Next payout</h2>
        <a href="/payouts">All payouts</a>
      </header>
      <div class="inset">
        ${states(this.payout, {
          what: "Payouts",
          rows: 2,
          ready: (sum) =>
            html` <p class="figure"><bdi>${formatMinor(sum.pendingNetMinor, sum.currency)}</bdi></p>
              <dl class="pairs">
                <div>
                  <dt>Settlements waiting</dt>
                  <dd>${formatCount(sum.unsettledCount)}</dd>
                </div>
                <div>
                  <dt>Paid this month</dt>
                  <dd><bdi>${formatMinor(sum.paidThisPeriodNetMinor, sum.currency)}</bdi></dd>
                </div>
              </dl>`,
        })}
      </div>
    </section>`;
  }

  /** @param {{overview: import("../money-report.js").Schemas["OverviewReport"], money: Money | null}} data */
  rankings({ overview, money }) {
    return html`<div class="thirds ${this.figures.loading ? "stale" : ""}">
      ${money?.rankings.map(({ title, items }) => ranking(title, items)) ?? nothing}
      ${ranking(
        "Where visits come from",
        overview.embedSplit.map(({ name, count }) => ({ name, size: count, text: formatCount(count) })),
      )}
    </div>`;
  }
}

/** The figures of the settlement mode. @typedef {ReturnType<typeof redeemed>} Money */

/** Redemptions come first where there are both. @param {7 | 14 | 30 | 90} days @returns {Promise<Money | null>} */
async function loadMoney(days) {
  const reports = await moneyReports();
  const redemptions = reports.includes("redemptions") ? await loadRedemptions(days) : null;
  if (redemptions) return redeemed(redemptions);
  const sales = reports.includes("sales") ? await loadSales(days) : null;
  return sales ? sold(sales) : null;
}

/** @param {import("../money-report.js").Schemas["RedemptionsReport"]} report */
function redeemed({ currency, kpis, series, topStores, sourceSplit }) {
  /** @param {{name: string, valueMinor: number}[]} shares */
  const amounts = (shares) =>
    shares.map(({ name, valueMinor }) => ({
      name,
      size: valueMinor,
      text: formatMinor(valueMinor, currency, { whole: true }),
    }));
  return {
    word: "Redeemed",
    countWord: "Redemptions",
    currency,
    total: kpis.totalRedeemedMinor.value,
    totalChange: kpis.totalRedeemedMinor.changePct,
    count: kpis.succeeded.value,
    countChange: kpis.succeeded.changePct,
    days: series.map((day) => ({ amount: day.amountSucceededMinor, count: day.succeeded })),
    rankings: [
      { title: "Redeemed by store", items: amounts(topStores) },
      {
        title: "Redeemed by channel",
        items: amounts(sourceSplit.map((share) => ({ ...share, name: wordOf(share.name) }))),
      },
    ],
  };
}

/** @param {import("../money-report.js").Schemas["SalesReport"]} report @returns {Money} */
function sold({ currency, kpis, series, paymentBreakdown }) {
  return {
    word: "Sold",
    countWord: "Sales",
    currency,
    total: kpis.grossRevenueMinor.value,
    totalChange: kpis.grossRevenueMinor.changePct,
    count: kpis.completed.value,
    countChange: kpis.completed.changePct,
    days: series.map((day) => ({ amount: day.revenueMinor, count: day.completed })),
    rankings: [
      {
        title: "Orders by payment",
        items: paymentBreakdown.map(({ name, count }) => ({
          name: wordOf(name),
          size: count,
          text: formatCount(count),
        })),
      },
    ],
  };
}

customElements.define("overview-page", OverviewPage);
