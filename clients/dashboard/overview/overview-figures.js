// The figures of the overview: four numbers with their change, and the chart of their days.

import { html } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { loadRedemptions, loadSales, moneyReports } from "../reports/money-report.js";
import { change, formatCount, stat } from "../shell/parts.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {{overview: Schemas["OverviewReport"], money: Money | null}} Figures */

/** Whether nothing has happened in the period. @param {Figures} figures */
export function isEmpty({ overview: { kpis } }) {
  return kpis.uniqueSessions.value + kpis.ordersPlaced.value + kpis.redemptionAttempts.value === 0;
}

/** @param {Schemas["OverviewReport"]} overview @param {Money | null} money */
export function stats({ kpis, series, sold, redeemed }, money) {
  const isMixed = [sold, redeemed].some(({ count, countInCurrency }) => count.value !== countInCurrency);
  const code = isMixed || sold.currency !== redeemed.currency;
  /** @param {string} label @param {Schemas["Turnover"]} turnover */
  const moneyStat = (label, { amountMinor, currency }) =>
    stat({
      label,
      value: formatMinor(amountMinor.value, currency, { code, whole: true }),
      change: change(amountMinor.changePct),
      shape: label === money?.word ? money.days : undefined,
    });
  /** @param {string} label @param {{value: number, changePct: number}} kpi @param {number[]} shape */
  const countStat = (label, kpi, shape) =>
    stat({ label, value: formatCount(kpi.value), change: change(kpi.changePct), shape });
  const orders = series.map((day) => day.orders);
  const visits = series.map((day) => day.sessions);
  return html`<dl class="stats panel">
    ${moneyStat("Sold", sold)}${moneyStat("Redeemed", redeemed)}${countStat("Orders", kpis.ordersPlaced, orders)}
    ${countStat("Visits to your shop", kpis.uniqueSessions, visits)}
  </dl>`;
}

/** The figures of the settlement mode. @typedef {ReturnType<typeof redeemed>} Money */

/** Redemptions come first where there are both. @param {7 | 14 | 30 | 90} days @returns {Promise<Money | null>} */
export async function loadMoney(days) {
  const [first] = moneyReports();
  return first === "sales" ? sold(await loadSales(days)) : redeemed(await loadRedemptions(days));
}

/** @param {Schemas["RedemptionsReport"]} report */
function redeemed({ currency, kpis, series, topStores, sourceSplit }) {
  return {
    word: "Redeemed",
    currency,
    total: kpis.totalRedeemedMinor.value,
    days: series.map((day) => day.amountSucceededMinor),
    /** Shares of it, by store and channel, or by payment. */
    shares: { topStores, sourceSplit, payments: /** @type {{name: string, count: number}[]} */ ([]) },
  };
}

/** @param {Schemas["SalesReport"]} report @returns {Money} */
function sold({ currency, kpis, series, paymentBreakdown }) {
  return {
    word: "Sold",
    currency,
    total: kpis.grossRevenueMinor.value,
    days: series.map((day) => day.revenueMinor),
    shares: { topStores: [], sourceSplit: [], payments: paymentBreakdown },
  };
}
