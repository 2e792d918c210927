// What the overview shows around its figures. Loaded after the first paint.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { dayChart, moneySeries, visitSeries } from "../reports/chart/place.js";
import { orderTable } from "../orders/order-table.js";
import { formatCount, nothingYet, states } from "../shell/parts.js";
import { owedIn } from "../payouts/payout-outlook.js";
import { ranking, split } from "../reports/rankings.js";
import { may, mayChange, store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {import("./overview-figures.js").Money} Money */

const REMARK = "The last day is not over yet";

/** @param {{overview: Schemas["OverviewReport"], money: Money | null}} figures @param {"money" | "visits"} shape */
export function chart({ overview, money }, shape) {
  return money && shape === "money" ? moneyChart(money, overview) : visitsChart(overview);
}

/** @param {Money} money @param {Schemas["OverviewReport"]} overview */
function moneyChart(money, { series }) {
  const average = formatMinor(Math.round(money.total / series.length), money.currency, { whole: true });
  const note = html`<b><bdi>${average}</bdi></b> a day`;
  return dayChart(
    `${money.word} day by day`,
    series,
    [moneySeries(money.word, money.currency, money.days, note)],
    REMARK,
  );
}

/** @param {Schemas["OverviewReport"]} overview */
function visitsChart({ series }) {
  return dayChart("Visits and orders day by day", series, visitSeries(series), REMARK);
}

/**
 * Beside the chart.
 * @param {import("../shell/page.js").Resource<Schemas["MerchantPayouts"]>} payouts
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

/** Below all others, since it comes last: nothing moves. */
function outstanding() {
  requestAnimationFrame(() => setTimeout(() => import("./outstanding-figure.js")));
  return html`<outstanding-figure></outstanding-figure>`;
}

/** @param {import("../shell/page.js").Resource<Schemas["MerchantPayouts"]>} payouts */
function owed(payouts) {
  return html`<section class="panel">
    <header>
      <h2>Owed to you</h2>
      <a href="/payouts">All payouts</a>
    </header>
    <div class="inset">${states(payouts, { what: "Payouts", rows: 2, ready: owedParts })}</div>
  </section>`;
}

/** The sum that will come, and its parts; for each currency. @param {Schemas["MerchantPayouts"]} payouts */
function owedParts({ outlook }) {
  const code = outlook.length > 1;
  return outlook.map((one) => {
    const { currency, payableMinor, laterMinor, nextEligibleAt, inProgressMinor } = one;
    /** @param {string} label @param {number} minor @param {unknown} [note] */
    const part = (label, minor, note = nothing) =>
      html`<div>
        <dt>${label}</dt>
        <dd><bdi>${formatMinor(minor, currency, { code })}</bdi></dd>
        ${note}
      </div>`;
    const next = nextEligibleAt
      ? html`<dd class="whole small faint">Next on ${formatDate(nextEligibleAt, store.timeZone)}</dd>`
      : nothing;
    return html`<p class="figure"><bdi>${formatMinor(owedIn(one), currency, { code })}</bdi></p>
      <dl class="pairs">
        ${part("Payable now", payableMinor)}${part("Later", laterMinor, next)}${part("In progress", inProgressMinor)}
      </dl>`;
  });
}

/** @param {import("../shell/page.js").Resource<Schemas["OrderPage"]>} orders */
export function latestOrders(orders) {
  return states(orders, {
    what: "Orders",
    rows: 8,
    ready: ({ orders }) =>
      orders.length ? orderTable(orders) : nothingYet("orders", "Sales from your shop and tills appear here."),
  });
}

/**
 * What waits for somebody: orders in review, of all time as in their list, and invitations to confirm.
 * @param {() => void} again what counts them anew
 */
export async function loadWaiting(again) {
  const [review, toConfirm] = await Promise.all([
    may("portal.orders") ? countReviews().catch(() => null) : 0,
    mayChange("merchant.team.invite") ? countToConfirm().catch(() => null) : 0,
  ]);
  const lost = [review === null && "Orders in review", toConfirm === null && "Invitations to confirm"];
  return html`${review === 0 && toConfirm === 0 ? html`<span class="faint">Nothing</span>` : nothing}
  ${waitingLink(review, "order", "in fraud review", "/orders?status=PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW")}
  ${waitingLink(toConfirm, "invitation", "to confirm", "/team")}
  ${lost.map((what) => (what ? notCounted(what, again) : nothing))}`;
}

async function countReviews() {
  const query = /** @type {const} */ ({ status: "PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW", pageSize: 1 });
  return (await call(() => api.GET("/api/bff/merchant-orders", { params: { query } }))).data.total;
}

async function countToConfirm() {
  const { data } = await call(() => api.GET("/api/bff/merchant/users"));
  return data.filter((one) => one.status === "Pending your verification").length;
}

/** @param {number | null} count @param {string} noun @param {string} rest @param {string} address */
function waitingLink(count, noun, rest, address) {
  if (!count) return nothing;
  return html`<a href=${address}
    ><span class="warn tone" aria-hidden="true">!</span>${formatCount(count)} ${noun}${count === 1 ? "" : "s"}
    ${rest}</a
  >`;
}

/** @param {string} what @param {() => void} again */
const notCounted = (what, again) =>
  html`<span class="bad tone" role="alert">${what} could not be counted.</span>
    <button class="link" type="button" @click=${again}>Try again</button>`;

/** @param {{overview: Schemas["OverviewReport"], money: Money | null}} figures @param {boolean} stale */
export function rankings({ overview, money }, stale) {
  const visits = overview.embedSplit.map(({ name, count }) => ({ name, size: count, text: formatCount(count) }));
  return html`<div class="thirds ${stale ? "stale" : ""}">
    ${money ? moneyRankings(money) : nothing} ${ranking("Where visits come from", visits)}
    ${may("portal.reports") ? outstanding() : nothing}
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
