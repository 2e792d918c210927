// Overview: what waits, the figures of the period, and its days. What stands below is loaded after the first paint.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { dateKeyOf, daysBefore, formatDay } from "/kit/time.js";
import { api, call } from "../api.js";
import { dayChart } from "../chart-place.js";
import { loadRedemptions, loadSales, moneyReports } from "../money-report.js";
import { Page, Resource } from "../page.js";
import {
  bars,
  change,
  formatCount,
  formatPercent,
  head,
  PERIODS,
  periodOf,
  segmented,
  stat,
  states,
  statSkeletons,
} from "../parts.js";
import { goWith } from "../router.js";
import { may, mayChange, store } from "../store.js";
import { loadStyles } from "../styles.js";

/** @typedef {import("../money-report.js").Schemas} Schemas */
/** @typedef {{overview: Schemas["OverviewReport"], money: Money | null}} Figures */

const SKELETON = html`${statSkeletons(4)}
  <div class="beside">
    <div class="panel chart-space"></div>
    <div class="panel chart-space"></div>
  </div>`;

class OverviewPage extends Page {
  /** @type {7 | 14 | 30 | 90} */
  days = 30;
  /** @type {"money" | "visits"} */
  shape = "money";
  /** What stands below the figures. @type {typeof import("./overview-later.js") | null} */
  later = null;

  figures = new Resource(this, async () => {
    const days = this.days;
    const [overview, money] = await Promise.all([
      call(() => api.GET("/api/bff/analytics/overview", { params: { query: { days } } })),
      loadMoney(days),
    ]);
    return { overview: overview.data, money };
  });
  payouts = new Resource(this, () => call(() => api.GET("/api/bff/settlements/summary")));
  orders = new Resource(
    this,
    async () =>
      (await call(() => api.GET("/api/bff/merchant-orders", { params: { query: { page: 1, pageSize: 8 } } }))).data,
  );
  team = new Resource(this, async () => (await call(() => api.GET("/api/bff/merchant/users"))).data);

  arrive() {
    this.days = periodOf(this.query);
    this.figures.load();
    if (this.orders.data) return; // only the period changed
    if (may("portal.reports")) this.payouts.load();
    if (may("portal.orders")) this.orders.load();
    if (mayChange("merchant.team.invite")) this.team.load();
    this.loadLater();
  }

  async loadLater() {
    const [later] = await Promise.all([import("./overview-later.js"), loadStyles()]);
    this.later = later;
    this.requestUpdate();
  }

  render() {
    const since = formatDay(daysBefore(dateKeyOf(Date.now(), store.timeZone), this.days - 1));
    const note = `${since} to today, compared with the ${this.days} days before`;
    const period = segmented("Period", PERIODS, String(this.days), (days) =>
      goWith({ days: days === "30" ? null : days }),
    );
    return html`${head("Overview", note, period)} ${this.waiting()}
    ${states(this.figures, { what: "Figures", skeleton: SKELETON, ready: (figures) => this.report(figures) })}
    ${may("portal.orders") ? this.latestOrders() : nothing}
    ${this.figures.data && this.later ? this.later.rankings(this.figures.data, this.figures.loading) : nothing}`;
  }

  waiting() {
    const review = this.figures.data?.overview.fraudBreakdown.find((part) => part.name === "Review")?.value ?? 0;
    const toConfirm = (this.team.data ?? []).filter((item) => item.status === "Pending your verification").length;
    return html`<section class="panel waiting" aria-label="Waiting for you">
      <span class="muted">Waiting for you</span>
      ${review + toConfirm === 0 ? html`<span class="faint">${this.figures.data ? "Nothing" : ""}</span>` : nothing}
      ${waitingLink(review, "order", "in fraud review", "/orders?status=PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW")}
      ${waitingLink(toConfirm, "invitation", "to confirm", "/team")}
    </section>`;
  }

  /** @param {Figures} figures */
  report({ overview, money }) {
    return html`${stats(overview, money)}
      <div class="beside">
        <section class="panel">
          <header>
            <h2>Day by day</h2>
            ${money ? this.shapes(money) : nothing}
          </header>
          ${money && this.shape === "money" ? moneyChart(money, overview) : visitsChart(overview, money !== null)}
        </section>
        ${this.later ? this.later.beside(this.payouts, overview) : html`<div class="panel chart-space"></div>`}
      </div>`;
  }

  /** @param {Money} money */
  shapes(money) {
    const options = /** @type {const} */ ([
      ["money", money.word],
      ["visits", "Visits and orders"],
    ]);
    return segmented("Figures of the chart", options, this.shape, (shape) => {
      this.shape = shape;
      this.requestUpdate();
    });
  }

  latestOrders() {
    const { later } = this;
    return html`<section class="panel">
      <header>
        <h2>Latest orders</h2>
        <a href="/orders">All orders</a>
      </header>
      ${later ? later.latestOrders(this.orders) : html`<div aria-busy="true">${bars(8)}</div>`}
    </section>`;
  }
}

/** @param {number} count @param {string} noun @param {string} rest @param {string} address */
function waitingLink(count, noun, rest, address) {
  if (count === 0) return nothing;
  return html`<a href=${address}
    ><span class="warn tone" aria-hidden="true">!</span>${formatCount(count)} ${noun}${count === 1 ? "" : "s"}
    ${rest}</a
  >`;
}

/** @param {Schemas["OverviewReport"]} overview @param {Money | null} money */
function stats({ kpis, series }, money) {
  const rate = kpis.visitToOrderPct;
  const rates = series.map((day) => (day.sessions > 0 ? day.orders / day.sessions : 0));
  return html`<dl class="stats panel">
    ${
      money
        ? moneyStats(money)
        : countStat(
            "Visits",
            kpis.uniqueSessions,
            series.map((day) => day.sessions),
          )
    }
    ${countStat(
      "Orders",
      kpis.ordersPlaced,
      series.map((day) => day.orders),
    )}
    ${stat({
      label: "Order rate",
      value: rate.valuePct === null ? "–" : formatPercent(rate.valuePct),
      change:
        rate.valuePct === null ? html`<span class="change">No visits</span>` : change(rate.changePp, { points: true }),
      shape: rates,
    })}
  </dl>`;
}

/** @param {string} label @param {{value: number, changePct: number}} kpi @param {number[]} shape */
function countStat(label, kpi, shape) {
  return stat({ label, value: formatCount(kpi.value), change: change(kpi.changePct), shape });
}

/** @param {Money} money */
function moneyStats({ word, countWord, currency, total, totalChange, count, countChange, days }) {
  return html`${stat({
    label: word,
    value: formatMinor(total, currency, { whole: true }),
    change: change(totalChange),
    shape: days.map((day) => day.amount),
  })}
  ${stat({
    label: countWord,
    value: formatCount(count),
    change: change(countChange),
    shape: days.map((day) => day.count),
  })}`;
}

/** @param {Money} money @param {Schemas["OverviewReport"]} overview */
function moneyChart(money, { series }) {
  const average = formatMinor(Math.round(money.total / series.length), money.currency, { whole: true });
  return dayChart(`${money.word} day by day`, series, [
    {
      label: money.word,
      note: html`<b><bdi>${average}</bdi></b> a day`,
      values: money.days.map((day) => day.amount),
      color: "--chart-1",
      format: (value) => formatMinor(value, money.currency),
      tick: (value) => formatMinor(Math.round(value), money.currency, { whole: true }),
    },
  ]);
}

/** @param {Schemas["OverviewReport"]} overview @param {boolean} total whether the number of visits stands nowhere else */
function visitsChart({ kpis, series }, total) {
  return dayChart("Visits and orders day by day", series, [
    {
      label: "Visits",
      note: total ? html`<b>${formatCount(kpis.uniqueSessions.value)}</b>` : undefined,
      values: series.map((day) => day.sessions),
      color: "--chart-3",
      format: formatCount,
    },
    { label: "Orders", values: series.map((day) => day.orders), color: "--chart-1", format: formatCount },
  ]);
}

/** The figures of the settlement mode. @typedef {ReturnType<typeof redeemed>} Money */

/** Redemptions come first where there are both. @param {7 | 14 | 30 | 90} days @returns {Promise<Money | null>} */
async function loadMoney(days) {
  const [first] = moneyReports();
  return first === "sales" ? sold(await loadSales(days)) : redeemed(await loadRedemptions(days));
}

/** @param {Schemas["RedemptionsReport"]} report */
function redeemed({ currency, kpis, series, topStores, sourceSplit }) {
  return {
    word: "Redeemed",
    countWord: "Redemptions",
    currency,
    total: kpis.totalRedeemedMinor.value,
    totalChange: kpis.totalRedeemedMinor.changePct,
    count: kpis.succeeded.value,
    countChange: kpis.succeeded.changePct,
    days: series.map((day) => ({ amount: day.amountSucceededMinor, count: day.succeeded })),
    /** Shares of it, by store and channel, or by payment. */
    shares: { topStores, sourceSplit, payments: /** @type {{name: string, count: number}[]} */ ([]) },
  };
}

/** @param {Schemas["SalesReport"]} report @returns {Money} */
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
    shares: { topStores: [], sourceSplit: [], payments: paymentBreakdown },
  };
}

customElements.define("overview-page", OverviewPage);
