// What the overview shows below its figures. Loaded after the first paint.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { orderTable } from "../order-table.js";
import { formatCount, nothingYet, states } from "../parts.js";
import { ranking, split } from "../rankings.js";
import { may, store } from "../store.js";

/** @typedef {import("../money-report.js").Schemas} Schemas */
/** @typedef {import("../overview-figures.js").Money} Money */

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
        <p class="figure"><bdi>${amount(payableMinor, currency)}</bdi></p>
        <dl class="pairs">
          <div>
            <dt>Later${nextEligibleAt ? `, next on ${formatDate(nextEligibleAt, store.timeZone)}` : nothing}</dt>
            <dd><bdi>${amount(laterMinor, currency)}</bdi></dd>
          </div>
          <div>
            <dt>In progress</dt>
            <dd><bdi>${amount(inProgressMinor, currency)}</bdi></dd>
          </div>
        </dl>`,
  );
}

/** @param {number | null} minor null where too much is held to be added up @param {string} currency */
const amount = (minor, currency) => (minor === null ? "Not known" : formatMinor(minor, currency));

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
