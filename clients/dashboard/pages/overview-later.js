// What the overview shows below its figures. Loaded after the first paint.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { orderTable } from "../order-table.js";
import { formatCount, nothingYet, states } from "../parts.js";
import { ranking, split } from "../rankings.js";
import { may } from "../store.js";

/** @typedef {import("../money-report.js").Schemas} Schemas */
/** @typedef {import("../overview-figures.js").Money} Money */

/**
 * Beside the chart.
 * @param {import("../page.js").Resource<Schemas["SettlementSummary"]>} payouts
 * @param {Schemas["OverviewReport"]} overview
 */
export function beside(payouts, overview) {
  return html`<div class="stack">
    ${may("portal.reports") ? nextPayout(payouts) : nothing}
    <section class="panel">
      <header>
        <h2>Fraud checks</h2>
        <a href="/reports?tab=fraud">Report</a>
      </header>
      <div class="inset">${split(overview.fraudBreakdown)}</div>
    </section>
  </div>`;
}

/** @param {import("../page.js").Resource<Schemas["SettlementSummary"]>} payouts */
function nextPayout(payouts) {
  return html`<section class="panel">
    <header>
      <h2>Next payout</h2>
      <a href="/payouts">All payouts</a>
    </header>
    <div class="inset">${states(payouts, { what: "Payouts", rows: 2, ready: payoutFigures })}</div>
  </section>`;
}

/** @param {Schemas["SettlementSummary"]} sum */
function payoutFigures(sum) {
  return html`<p class="figure"><bdi>${formatMinor(sum.pendingNetMinor, sum.currency)}</bdi></p>
    <dl class="pairs">
      <div>
        <dt>Settlements waiting</dt>
        <dd>${formatCount(sum.unsettledCount)}</dd>
      </div>
      <div>
        <dt>Paid this month</dt>
        <dd><bdi>${formatMinor(sum.paidThisPeriodNetMinor, sum.currency)}</bdi></dd>
      </div>
    </dl>`;
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
