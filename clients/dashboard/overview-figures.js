// The figures of the overview: four numbers with their change, and the chart of their days.

import { html } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { loadRedemptions, loadSales, moneyReports } from "./money-report.js";
import { change, formatCount, formatPercent, stat } from "./parts.js";

/** @typedef {import("./money-report.js").Schemas} Schemas */
/** @typedef {{overview: Schemas["OverviewReport"], money: Money | null}} Figures */

/** Whether nothing has happened in the period. @param {Figures} figures */
export function isEmpty({ overview: { kpis } }) {
  return kpis.uniqueSessions.value + kpis.ordersPlaced.value + kpis.redemptionAttempts.value === 0;
}

/** @param {Schemas["OverviewReport"]} overview @param {Money | null} money */
export function stats({ kpis, series }, money) {
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
