// The place of a chart. The chart itself is loaded after the first paint; its place has the final size before.

import { html, nothing } from "/kit/vendor/lit.js";

let loading = false;

/**
 * @param {string} name
 * @param {{dateKey: string}[]} days
 * @param {import("./day-chart.js").Series[]} series
 */
export function dayChart(name, days, series) {
  if (!loading) {
    loading = true;
    requestAnimationFrame(() => setTimeout(() => import("./day-chart.js")));
  }
  return days.length === 0
    ? nothing
    : html`<day-chart .name=${name} .days=${days.map((day) => day.dateKey)} .series=${series}></day-chart>`;
}
