// Columns for each day, with a table of the same height beside them. Chart.js is loaded after the first paint.

import { html, LitElement } from "/kit/vendor/lit.js";
import { formatDay } from "/kit/time.js";
import { icon } from "./icons.js";

/**
 * Two series overlap: the second one, a part of the first, stands in front of it.
 *
 * @typedef {object} Series
 * @property {string} label
 * @property {unknown} [note] a figure of the whole period
 * @property {number[]} values
 * @property {"--chart-1" | "--chart-2" | "--chart-3"} color
 * @property {(value: number) => string} format
 * @property {(value: number) => string} [tick] of the axis
 */

export class DayChart extends LitElement {
  // By their content: a page makes new lists each time it renders, and an equal chart need not be drawn anew.
  static properties = {
    name: {},
    days: { attribute: false, hasChanged: differs },
    series: { attribute: false, hasChanged: differs },
    asTable: { state: true },
  };

  constructor() {
    super();
    this.name = "";
    /** Calendar dates. @type {string[]} */
    this.days = [];
    /** @type {Series[]} */
    this.series = [];
    this.asTable = false;
    /** @type {import("/kit/vendor/chart.js").Chart | null} */
    this.chart = null;
    this.active = -1;
    this.recolor = () => this.draw();
    this.themes = new MutationObserver(this.recolor);
    this.forcedColors = matchMedia("(forced-colors: active)");
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.forcedColors.addEventListener("change", this.recolor);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.themes.disconnect();
    this.forcedColors.removeEventListener("change", this.recolor);
    this.chart?.destroy();
    this.chart = null;
  }

  render() {
    if (this.series.every((one) => one.values.every((value) => value === 0)))
      return html`<div class="empty"><p>Nothing in this period</p></div>`;
    return html`<div class="chart-head">
        <p class="keys-of-chart">
          ${this.series.map((one) => html`<span><span class="swatch ${one.color.slice(2)}"></span><span>${one.label}${one.note ? html` ${one.note}` : ""}</span></span>`)}
        </p>
        <p class="faint small">The last day is not over yet</p>
        <button
          class="button quiet square"
          type="button"
          aria-pressed=${this.asTable ? "true" : "false"}
          aria-label=${this.asTable ? "Show as chart" : "Show as table"}
          title=${this.asTable ? "Show as chart" : "Show as table"}
          @click=${() => (this.asTable = !this.asTable)}
        >
          ${icon(this.asTable ? "chart" : "table")}
        </button>
      </div>
      <div class="chart-box">
        ${
          this.asTable
            ? html`<div class="scroll" tabindex="0" role="region" aria-label=${`${this.name} as a table`}>
                ${this.table()}
              </div>`
            : html`<div
                class="canvas"
                role="img"
                tabindex="0"
                aria-label=${this.summary()}
                @keydown=${this.move}
                @blur=${() => this.point(-1)}
              >
                <canvas></canvas>
              </div>`
        }
      </div>
      <p class="sr" role="status">${this.active >= 0 ? this.spoken(this.active) : ""}</p>`;
  }

  table() {
    return html`<table>
      <caption class="sr">
        ${this.name}
      </caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          ${this.series.map((one) => html`<th scope="col" class="num">${one.label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${this.days
          .map(
            (_, i) =>
              html`<tr>
                <td>${this.dayName(i)}</td>
                ${this.series.map((one) => html`<td class="num"><bdi>${one.format(one.values[i] ?? 0)}</bdi></td>`)}
              </tr>`,
          )
          .reverse()}
      </tbody>
    </table>`;
  }

  summary() {
    const first = this.days[0];
    const last = this.days.at(-1);
    if (!first || !last) return this.name;
    const totals = this.series.map((one) => {
      const best = one.values.reduce((at, value, i) => (value > (one.values[at] ?? 0) ? i : at), 0);
      return `${one.label}: highest ${one.format(one.values[best] ?? 0)} on ${formatDay(this.days[best] ?? first)}`;
    });
    return `${this.name}, ${formatDay(first)} to ${formatDay(last)}. ${totals.join(". ")}. Arrow keys read each day.`;
  }

  /** @param {number} day */
  dayName(day) {
    const name = formatDay(this.days[day] ?? "", { weekday: true });
    return day === this.days.length - 1 ? `${name}, not over yet` : name;
  }

  /** @param {number} day */
  spoken(day) {
    return `${this.dayName(day)}: ${this.series.map((one) => `${one.label} ${one.format(one.values[day] ?? 0)}`).join(", ")}`;
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    const last = this.days.length - 1;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) this.point(this.active < 0 ? last : Math.min(last, Math.max(0, this.active + step)));
    else if (event.key === "Home") this.point(0);
    else if (event.key === "End") this.point(last);
    else return;
    event.preventDefault();
  }

  /** Points at a day; -1 at none. @param {number} day */
  point(day) {
    this.active = day;
    this.requestUpdate();
    if (!this.chart) return;
    const elements = day < 0 ? [] : this.series.map((_, datasetIndex) => ({ datasetIndex, index: day }));
    const at = day < 0 ? { x: 0, y: 0 } : (this.chart.getDatasetMeta(0).data[day] ?? { x: 0, y: 0 });
    this.chart.setActiveElements(elements);
    this.chart.tooltip?.setActiveElements(elements, at);
    this.chart.update("none");
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  updated(changed) {
    if (changed.size > 0) this.draw();
  }

  async draw() {
    const canvas = this.querySelector("canvas");
    if (!canvas) {
      this.chart?.destroy();
      this.chart = null;
      return;
    }
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const { Chart } = await loadChart();
    if (!canvas.isConnected) return;
    this.chart?.destroy();
    this.chart = new Chart(canvas, this.config());
  }

  config() {
    const style = getComputedStyle(this);
    const color = colorsOf(this);
    const last = this.days.length - 1;
    const faint = color("--ink-3");
    const font = {
      family: style.fontFamily,
      size: 0.75 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
    };
    const rtl = style.direction === "rtl";
    const isBehind = (/** @type {number} */ number) => number < this.series.length - 1;
    return {
      type: "bar",
      data: {
        labels: this.days.map((day) => formatDay(day)),
        datasets: this.series.map((one, number) => ({
          label: one.label,
          data: one.values,
          // A day that is not over is an outline.
          backgroundColor: one.values.map((_, i) =>
            i === last || isBehind(number) ? color("--sunken") : color(one.color),
          ),
          hoverBackgroundColor: isBehind(number) ? color("--line") : color(one.color),
          borderColor: color(one.color),
          borderWidth: one.values.map((_, i) => (i === last ? 1.5 : isBehind(number) ? 1 : 0)),
          borderRadius: 2,
          grouped: false,
          order: -number,
          categoryPercentage: 0.86,
          barPercentage: number === 0 ? 0.95 : 0.55,
          maxBarThickness: number === 0 ? 40 : 24,
        })),
      },
      options: {
        responsive: true,
        maintainAspectRatio: false,
        animation: false,
        locale: navigator.language,
        interaction: { mode: "index", intersect: false },
        scales: {
          x: {
            reverse: rtl,
            grid: { display: false },
            border: { color: color("--line") },
            ticks: { color: faint, font, maxRotation: 0, autoSkipPadding: 16 },
          },
          y: {
            position: rtl ? "right" : "left",
            beginAtZero: true,
            border: { display: false },
            grid: { color: color("--chart-grid") },
            ticks: {
              color: faint,
              font,
              maxTicksLimit: 4,
              precision: 0,
              callback: (/** @type {number} */ value) =>
                (this.series[0]?.tick ?? this.series[0]?.format)?.(value) ?? value,
            },
          },
        },
        plugins: {
          legend: { display: false },
          tooltip: {
            rtl,
            backgroundColor: color("--ink"),
            titleColor: color("--on-ink"),
            bodyColor: color("--on-ink"),
            titleFont: font,
            bodyFont: font,
            padding: 10,
            cornerRadius: 6,
            displayColors: this.series.length > 1,
            itemSort: (/** @type {{datasetIndex: number}} */ a, /** @type {{datasetIndex: number}} */ b) =>
              a.datasetIndex - b.datasetIndex,
            callbacks: {
              title: (/** @type {{dataIndex: number}[]} */ items) => (items[0] ? this.dayName(items[0].dataIndex) : ""),
              label: (/** @type {{datasetIndex: number, raw: number}} */ item) =>
                `${this.series[item.datasetIndex]?.label}: ${this.series[item.datasetIndex]?.format(item.raw)}`,
            },
          },
        },
      },
    };
  }
}
customElements.define("day-chart", DayChart);

/** @param {unknown} a @param {unknown} b */
function differs(a, b) {
  return JSON.stringify(a) !== JSON.stringify(b);
}

/**
 * Reads colours of the page as a canvas needs them: a token can be a system colour.
 * @param {HTMLElement} element
 * @returns {(token: string) => string}
 */
function colorsOf(element) {
  return (token) => {
    element.style.setProperty("color", `var(${token})`);
    const color = getComputedStyle(element).color;
    element.style.removeProperty("color");
    return color;
  };
}

/** @type {Promise<typeof import("/kit/vendor/chart.js")> | null} */
let chartModule = null;
function loadChart() {
  chartModule ??= import("/kit/vendor/chart.js").then((module) => {
    module.Chart.register(
      module.BarController,
      module.BarElement,
      module.CategoryScale,
      module.LinearScale,
      module.Tooltip,
    );
    return module;
  });
  return chartModule;
}
