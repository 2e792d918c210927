// What the overview shows around its figures. Loaded after the first paint.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { api, call } from "../api.js";
import { dayChart, moneySeries, visitSeries } from "../chart/place.js";
import { orderTable } from "../order-table.js";
import { formatCount, nothingYet, states } from "../parts.js";
import { ranking, split } from "../rankings.js";
import { may, mayChange, store } from "../store.js";

/** @typedef {import("../money-report.js").Schemas} Schemas */
/** @typedef {import("../overview-figures.js").Money} Money */

const REMARK = "The last day is not over yet";

/** @param {{overview: Schemas["OverviewReport"], money: Money | null}} figures @param {"money" | "visits"} shape */
export function chart({ overview, money }, shape) {
  return money && shape === "money" ? moneyChart(money, overview) : visitsChart(overview, money !== null);
}

/** @param {Money} money @param {Schemas["OverviewReport"]} overview */
function moneyChart(money, { series }) {
  const average = formatMinor(Math.round(money.total / series.length), money.currency, { whole: true });
  const note = html`<b><bdi>${average}</bdi></b> a day`;
  const values = money.days.map((day) => day.amount);
  return dayChart(`${money.word} day by day`, series, [moneySeries(money.word, money.currency, values, note)], REMARK);
}

/** @param {Schemas["OverviewReport"]} overview @param {boolean} total whether the number of visits stands nowhere else */
function visitsChart({ kpis, series }, total) {
  const visits = total ? html`<b>${formatCount(kpis.uniqueSessions.value)}</b>` : undefined;
  return dayChart("Visits and orders day by day", series, visitSeries(series, visits), REMARK);
}

/**
 * Beside the chart.
 * @param {import("../page.js").Resource<Schemas["MerchantPayouts"]>} payouts
 * @param {Schemas["OverviewReport"]} overview
 */
export function beside(payouts, overview) {
  return html`<div class="stack">
    ${may("portal.reports") ? owed(payouts) : nothing}
    <section class="panel">
      <header>
        <h2>Fraud checks</h2>
        <a href="/reports?tab=fraud">Report</a>
      </header>
      <div class="inset">${split(overview.fraudBreakdown)}</div>
    </section>
  </div>`;
}

/** @param {import("../page.js").Resource<Schemas["MerchantPayouts"]>} payouts */
function owed(payouts) {
  return html`<section class="panel">
    <header>
      <h2>Owed to you</h2>
      <a href="/payouts">All payouts</a>
    </header>
    <div class="inset">${states(payouts, { what: "Payouts", rows: 2, ready: owedParts })}</div>
  </section>`;
}

/** One for each currency. @param {Schemas["MerchantPayouts"]} payouts */
function owedParts({ outlook }) {
  return outlook.map(
    ({ currency, payableMinor, laterMinor, nextEligibleAt, inProgressMinor }) =>
      html`<p class="small muted">Payable now</p>
        <p class="figure"><bdi>${formatMinor(payableMinor, currency)}</bdi></p>
        <dl class="pairs">
          <div>
            <dt>Later</dt>
            <dd><bdi>${formatMinor(laterMinor, currency)}</bdi></dd>
            ${nextEligibleAt ? html`<dd class="whole small faint">Next on ${formatDate(nextEligibleAt, store.timeZone)}</dd>` : nothing}
          </div>
          <div>
            <dt>In progress</dt>
            <dd><bdi>${formatMinor(inProgressMinor, currency)}</bdi></dd>
          </div>
        </dl>`,
  );
}

/** @param {import("../page.js").Resource<Schemas["OrderPage"]>} orders */
export function latestOrders(orders) {
  return states(orders, {
    what: "Orders",
    rows: 8,
    ready: ({ orders }) =>
      orders.length ? orderTable(orders) : nothingYet("orders", "Sales from your shop and tills appear here."),
  });
}

/** Orders in review, of all time as in their list, and invitations to confirm; null where it is not known. */
export async function countWaiting() {
  const query = /** @type {const} */ ({ status: "PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW", pageSize: 1 });
  const [orders, team] = await Promise.all([
    may("portal.orders") && call(() => api.GET("/api/bff/merchant-orders", { params: { query } })),
    mayChange("merchant.team.invite") && call(() => api.GET("/api/bff/merchant/users")),
  ]).catch(() => []);
  if (orders === undefined || team === undefined) return null;
  const toConfirm = team ? team.data.filter((one) => one.status === "Pending your verification") : [];
  return [orders ? orders.data.total : 0, toConfirm.length];
}

/** @param {{overview: Schemas["OverviewReport"], money: Money | null}} figures @param {boolean} stale */
export function rankings({ overview, money }, stale) {
  const visits = overview.embedSplit.map(({ name, count }) => ({ name, size: count, text: formatCount(count) }));
  return html`<div class="thirds ${stale ? "stale" : ""}">
    ${money ? moneyRankings(money) : nothing} ${ranking("Where visits come from", visits)}
  </div>`;
}

/** @param {Money} money */
function moneyRankings({ word, currency, shares }) {
  if (word === "Sold")
    return ranking(
      "Orders by payment",
      shares.payments.map(({ name, count }) => ({ name: wordOf(name), size: count, text: formatCount(count) })),
    );
  /** @param {string} name @param {number} size */
  const amount = (name, size) => ({ name, size, text: formatMinor(size, currency, { whole: true }) });
  return html`${ranking(
    "Redeemed by store",
    shares.topStores.map(({ name, valueMinor }) => amount(name, valueMinor)),
  )}
  ${ranking(
    "Redeemed by channel",
    shares.sourceSplit.map(({ name, valueMinor }) => amount(wordOf(name), valueMinor)),
  )}`;
}
