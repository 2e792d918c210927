// The four reports. Each says which period its figures are of; today is in it, and not over.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, toneBadge, wordOf } from "/kit/badge.js";
import { formatUnits } from "/kit/decimals.js";
import { formatMinor } from "/kit/money.js";
import { dateKeyOf, daysBefore, formatDateTime, formatDay } from "/kit/time.js";
import { dayChart, moneySeries, visitSeries } from "./chart/place.js";
import { change, empty, formatCount, formatPercent, nothingYet, stat } from "../shell/parts.js";
import { ranking, splitBar, swatch } from "./rankings.js";
import { store } from "../shell/store.js";
import { table } from "../shell/table.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {{welcome?: "more" | "less"}} Meaning */

/** The days of a report, from its own answer: a newer choice may be on its way. @param {number} days */
export function periodLine(days) {
  const today = dateKeyOf(Date.now(), store.timeZone);
  return html`<p class="muted period">
    ${formatDay(daysBefore(today, days - 1))} to ${formatDay(today)}, compared with the ${days} days before. Today is
    not over yet: changes are provisional.
  </p>`;
}

/** @param {unknown} changed a change, of a period with a day that is not over */
const soFar = (changed) => html`<span class="so-far">${changed}<span class="small faint">so far</span></span>`;

/** @param {unknown} label @param {{value: number, changePct: number}} kpi @param {Meaning} [meaning] */
function countStat(label, { value, changePct }, meaning) {
  return stat({ label, value: formatCount(value), change: soFar(change(changePct, meaning)) });
}

/** @param {string} label @param {{value: number, changePct: number}} kpi @param {string} currency */
function sumStat(label, { value, changePct }, currency) {
  return stat({ label, value: formatMinor(value, currency, { whole: true }), change: soFar(change(changePct)) });
}

/** @param {{value: number | null, changePct: number}} kpi @param {string} currency @param {number} count of how many */
function averageStat({ value, changePct }, currency, count) {
  if (value === null) return stat({ label: "On average", value: "–" });
  const ofHowMany = html`<span class="small faint">of ${formatCount(count)} in ${currency}</span>`;
  return stat({
    label: "On average",
    value: formatMinor(value, currency),
    change: html`${soFar(change(changePct))} ${ofHowMany}`,
  });
}

/** @param {string} label @param {{dateKey: string}[]} days @param {number[]} values @param {string} currency */
const moneyPanel = (label, days, values, currency) =>
  chartPanel(`${label} day by day`, days, [moneySeries(label, currency, values)]);

/** @param {string} name @param {{dateKey: string}[]} days @param {import("./chart/day-chart.js").Series[]} series */
function chartPanel(name, days, series) {
  return html`<section class="panel">
    <header><h2>${name}</h2></header>
    ${dayChart(name, days, series)}
  </section>`;
}

/** @param {{name: string, valueMinor: number}[]} shares @param {string} currency */
const byAmount = (shares, currency) =>
  shares.map(({ name, valueMinor: size }) => ({ name, size, text: formatMinor(size, currency, { whole: true }) }));

/** @param {{name: string, count: number}[]} shares */
const byCount = (shares) => shares.map(({ name, count }) => ({ name, size: count, text: formatCount(count) }));

/** @template {{name: string}} T @param {T} share @returns {T} */
const inWords = (share) => ({ ...share, name: wordOf(share.name) });

/** @param {Schemas["RedemptionsReport"]} report */
export function redemptions({ currency, kpis, series, topStores, sourceSplit, recent, periodDays }) {
  const values = series.map((day) => day.amountSucceededMinor);
  return html`${periodLine(periodDays)}
    <dl class="stats panel">
      ${sumStat("Redeemed", kpis.totalRedeemedMinor, currency)}${countStat("Redemptions", kpis.succeeded)}
      ${averageStat(kpis.avgRedeemMinor, currency, kpis.succeededInCurrency)}${countStat("Failed", kpis.failed, { welcome: "less" })}
    </dl>
    <div class="with-shares">
      ${moneyPanel("Redeemed", series, values, currency)}
      <div class="thirds">
        ${ranking("By store", byAmount(topStores, currency))}
        ${ranking("By channel", byAmount(sourceSplit.map(inWords), currency))}
      </div>
      <section class="panel">
        <header><h2>Latest redemptions</h2></header>
        ${recent.length === 0 ? nothingYet("redemptions", "What your tills redeem appears here.") : redemptionTable(recent)}
      </section>
    </div>`;
}

/** @type {import("../shell/table.js").Column<Schemas["RecentRedemption"]>[]} */
const REDEMPTION_COLUMNS = [
  { title: "Card", cell: ({ cardRef }) => `•••• ${cardRef}`, look: "mono" },
  { title: "Status", cell: ({ status }) => badge(status, "redemption"), narrow: "end" },
  { title: "Store", cell: ({ storeLabel }) => html`<span dir="auto">${storeLabel}</span>`, narrow: "hidden" },
  { title: "Date", cell: ({ occurredAt }) => formatDateTime(occurredAt, store.timeZone), look: "muted nowrap" },
  { title: "Amount", cell: redeemedAmount, number: true, narrow: "end" },
];

/** @param {Schemas["RecentRedemption"]} redemption @param {boolean} code */
function redeemedAmount({ amountMinor, currency }, code) {
  return html`<b><bdi>${formatMinor(amountMinor, currency, { code })}</bdi></b>`;
}

/** @param {Schemas["RecentRedemption"][]} rows */
const redemptionTable = (rows) => table({ caption: "Latest redemptions", columns: REDEMPTION_COLUMNS, rows });

/** @param {Schemas["SalesReport"]} report */
export function sales({ currency, kpis, series, statusBreakdown, paymentBreakdown, periodDays }) {
  const values = series.map((day) => day.revenueMinor);
  return html`${periodLine(periodDays)}
    <dl class="stats panel">
      ${sumStat("Sold", kpis.grossRevenueMinor, currency)}${countStat("Completed orders", kpis.completed)}
      ${averageStat(kpis.avgCompletedMinor, currency, kpis.completedInCurrency)}${countStat("Orders placed", kpis.ordersPlaced)}
    </dl>
    <div class="with-shares">
      ${moneyPanel("Sold", series, values, currency)}
      <div class="thirds">
        ${ranking("Orders by status", byCount(statusBreakdown.map(inWords)))}
        ${ranking("Orders by payment", byCount(paymentBreakdown.map(inWords)))}
      </div>
    </div>`;
}

/** Without a rate: orders at tills have no visit. @param {Schemas["OverviewReport"]} report */
export function visits({ kpis, series, embedSplit, entrySplit, periodDays }) {
  return html`${periodLine(periodDays)}
    <dl class="stats panel">
      ${countStat("Visits to your shop", kpis.uniqueSessions)}
      ${countStat("Orders, including tills", kpis.ordersPlaced)}
    </dl>
    <div class="with-shares">
      ${chartPanel("Visits and orders day by day", series, visitSeries(series))}
      <div class="thirds">
        ${ranking("Where visits come from", byCount(embedSplit))}${ranking("First page", byCount(entrySplit))}
      </div>
    </div>`;
}

/** @param {Schemas["FraudReport"]} report */
export function fraud({ kpis, breakdown, recentEvents, periodDays }) {
  const { valuePct, changePp } = kpis.passRate;
  const passed =
    valuePct === null
      ? { value: "–" }
      : { value: formatPercent(valuePct), change: soFar(change(changePp, { points: true })) };
  const checked = breakdown.reduce((sum, part) => sum + part.value, 0);
  return html`${periodLine(periodDays)}
    <section class="panel" aria-label="Checked orders">
      <dl class="stats">
        ${stat({ label: html`${swatch("Passed")}Passed, of ${formatCount(checked)} checked orders`, ...passed })}
        ${countStat(html`${swatch("Review")}In review`, kpis.underReview, { welcome: "less" })}
        ${countStat(html`${swatch("Blocked")}Blocked`, kpis.blocked, { welcome: "less" })}
      </dl>
      <div class="inset">${splitBar(breakdown)}</div>
    </section>
    <section class="panel">
      <header><h2>Latest decisions</h2></header>
      ${
        recentEvents.length === 0
          ? empty("No decisions", "No order was blocked or sent to review in this period.")
          : html`<ul class="rows">
              ${recentEvents.map(fraudEvent)}
            </ul>`
      }
    </section>`;
}

/** @param {Schemas["FraudReport"]["recentEvents"][number]} event */
function fraudEvent({ id, reason, action, amountLabel, occurredAt }) {
  return html`<li>
    <span class="two-lines grow">
      <span
        >${action === "Blocked" ? toneBadge("bad", "Blocked") : toneBadge("warn", action)}
        <span class="wrap">${reason}</span></span
      >
      <a class="small wrap" href=${`/orders/${encodeURIComponent(id)}`}>Order ${id}</a>
    </span>
    <span class="amounts">
      <b><bdi>${labelled(amountLabel)}</bdi></b>
      <time class="small muted" datetime=${occurredAt}>${formatDateTime(occurredAt, store.timeZone)}</time>
    </span>
  </li>`;
}

/** The API writes `SEK 500.00`, for any language. @param {string} label */
function labelled(label) {
  const [currency = "", units] = label.split(" ");
  return units ? formatUnits(units, currency) : label;
}
