// How a chart is drawn: what Chart.js is told, in the page's own colours and type.

import { formatDay } from "/kit/time.js";
import { axis } from "./axis.js";
import { dayName } from "./words.js";

/** @typedef {import("./day-chart.js").Series} Series */
/** @typedef {(token: string) => string} Color */
/** @typedef {{family: string, size: number}} Font */

/** @param {HTMLElement} element @param {{days: string[], series: Series[]}} chart */
export function drawing(element, { days, series }) {
  const { fontFamily, direction } = getComputedStyle(element);
  const color = colorsOf(element);
  const font = {
    family: fontFamily,
    size: 0.75 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  };
  const isMirrored = direction === "rtl";
  return {
    type: "bar",
    data: { labels: days.map((day) => formatDay(day)), datasets: columns(series, days.length - 1, color) },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      locale: navigator.language,
      interaction: { mode: "index", intersect: false },
      scales: { x: timeAxis(color, font, isMirrored), y: valueAxis(series, color, font, isMirrored) },
      plugins: { legend: { display: false }, tooltip: tooltip(days, series, color, font, isMirrored) },
    },
  };
}

/** One in front of the other. A day that is not over is an outline. @param {Series[]} series @param {number} last @param {Color} color */
function columns(series, last, color) {
  return series.map((one, number) => {
    const isBehind = number < series.length - 1;
    const isOutline = (/** @type {number} */ day) => day === last || isBehind;
    return {
      label: one.label,
      data: one.values,
      backgroundColor: one.values.map((_, day) => color(isOutline(day) ? "--sunken" : one.color)),
      hoverBackgroundColor: color(isBehind ? "--line" : one.color),
      borderColor: color(one.color),
      borderWidth: one.values.map((_, day) => (day === last ? 1.5 : isBehind ? 1 : 0)),
      borderRadius: 2,
      grouped: false,
      order: -number,
      categoryPercentage: 0.86,
      barPercentage: number === 0 ? 0.95 : 0.55,
      maxBarThickness: number === 0 ? 40 : 24,
    };
  });
}

/** @param {Color} color @param {Font} font @param {boolean} isMirrored */
function timeAxis(color, font, isMirrored) {
  return {
    reverse: isMirrored,
    grid: { display: false },
    border: { color: color("--line") },
    ticks: { color: color("--ink-3"), font, maxRotation: 0, autoSkipPadding: 16 },
  };
}

/** @param {Series[]} series @param {Color} color @param {Font} font @param {boolean} isMirrored */
function valueAxis(series, color, font, isMirrored) {
  const [first] = series;
  const { top, step } = axis(Math.max(0, ...series.flatMap(({ values }) => values)), first?.smallest);
  const text = first?.tick ?? first?.format ?? String;
  return {
    position: isMirrored ? "right" : "left",
    min: 0,
    max: top,
    border: { display: false },
    grid: { color: color("--chart-grid") },
    ticks: { color: color("--ink-3"), font, stepSize: step, callback: (/** @type {number} */ value) => text(value) },
  };
}

/** @param {string[]} days @param {Series[]} series @param {Color} color @param {Font} font @param {boolean} isMirrored */
function tooltip(days, series, color, font, isMirrored) {
  /** @typedef {{datasetIndex: number, dataIndex: number, raw: number}} Item */
  return {
    rtl: isMirrored,
    backgroundColor: color("--ink"),
    titleColor: color("--on-ink"),
    bodyColor: color("--on-ink"),
    titleFont: font,
    bodyFont: font,
    padding: 10,
    cornerRadius: 6,
    displayColors: series.length > 1,
    itemSort: (/** @type {Item} */ a, /** @type {Item} */ b) => a.datasetIndex - b.datasetIndex,
    callbacks: {
      title: (/** @type {Item[]} */ items) => (items[0] ? dayName(days, items[0].dataIndex) : ""),
      label: (/** @type {Item} */ item) => {
        const one = series[item.datasetIndex];
        return `${one?.label}: ${one?.format(item.raw)}`;
      },
    },
  };
}

/**
 * Reads colours of the page as a canvas needs them: a token can be a system colour.
 * @param {HTMLElement} element
 * @returns {Color}
 */
function colorsOf(element) {
  return (token) => {
    element.style.setProperty("color", `var(${token})`);
    const color = getComputedStyle(element).color;
    element.style.removeProperty("color");
    return color;
  };
}
