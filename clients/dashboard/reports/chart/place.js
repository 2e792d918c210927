// The place of a chart. The chart itself is loaded after the first paint; its place has the final size before.

import { html } from "/kit/vendor/lit.js";
import { exponentOf, formatMinor } from "/kit/money.js";
import { formatCount } from "../../shell/parts.js";

let loading = false;

/**
 * @param {string} name
 * @param {{dateKey: string}[]} days
 * @param {import("./day-chart.js").Series[]} series
 * @param {string} [remark]
 */
export function dayChart(name, days, series, remark = "") {
  if (!loading) {
    loading = true;
    requestAnimationFrame(() => setTimeout(() => import("./day-chart.js")));
  }
  if (series.every(({ values }) => values.every((value) => value === 0)))
    return html`<p class="none muted">Nothing in this period.</p>`;
  return html`<day-chart
    .name=${name}
    .remark=${remark}
    .days=${days.map((day) => day.dateKey)}
    .series=${series}
  ></day-chart>`;
}

/** @param {string} label @param {string} currency @param {number[]} values @param {unknown} [note] */
export function moneySeries(label, currency, values, note) {
  return {
    label,
    note,
    values,
    color: /** @type {const} */ ("--chart-1"),
    format: (/** @type {number} */ value) => formatMinor(value, currency),
    tick: (/** @type {number} */ value) => formatMinor(value, currency, { whole: true }),
    smallest: 10 ** exponentOf(currency),
  };
}

/**
 * Orders in front of visits: most follow from one.
 * @param {{sessions: number, orders: number}[]} days
 * @returns {import("./day-chart.js").Series[]}
 */
export const visitSeries = (days) => [
  { label: "Visits", values: days.map((day) => day.sessions), color: "--chart-3", format: formatCount },
  { label: "Orders", values: days.map((day) => day.orders), color: "--chart-1", format: formatCount },
];
