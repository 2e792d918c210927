// A chart in words: its summary, each of its days, and all of them as a table.

import { html } from "/kit/vendor/lit.js";
import { formatDay } from "/kit/time.js";

/** @typedef {import("./day-chart.js").Series} Series */
/** @typedef {{name: string, days: string[], series: Series[]}} Chart */

/** @param {Chart} chart */
export function summary({ name, days, series }) {
  const first = days[0];
  const last = days.at(-1);
  if (!first || !last) return name;
  const totals = series.map((one) => {
    const best = one.values.reduce((at, value, i) => (value > (one.values[at] ?? 0) ? i : at), 0);
    return `${one.label}: highest ${one.format(one.values[best] ?? 0)} on ${formatDay(days[best] ?? first)}`;
  });
  return `${name}, ${formatDay(first)} to ${formatDay(last)}. ${totals.join(". ")}. Arrow keys read each day.`;
}

/** @param {readonly string[]} days @param {number} day */
export function dayName(days, day) {
  const name = formatDay(days[day] ?? "", { weekday: true });
  return day === days.length - 1 ? `${name}, not over yet` : name;
}

/** @param {Chart} chart @param {number} day */
export function spokenDay({ days, series }, day) {
  return `${dayName(days, day)}: ${series.map((one) => `${one.label} ${one.format(one.values[day] ?? 0)}`).join(", ")}`;
}

/** The last day first. @param {Chart} chart */
export function dayTable({ name, days, series }) {
  return html`<table>
    <caption class="sr">
      ${name}
    </caption>
    <thead>
      <tr>
        <th scope="col">Day</th>
        ${series.map((one) => html`<th scope="col" class="num">${one.label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${days
        .map(
          (_, i) =>
            html`<tr>
              <td>${dayName(days, i)}</td>
              ${series.map((one) => html`<td class="num"><bdi>${one.format(one.values[i] ?? 0)}</bdi></td>`)}
            </tr>`,
        )
        .reverse()}
    </tbody>
  </table>`;
}
