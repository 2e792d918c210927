// Columns for each day, with a table of the same height beside them. Chart.js is loaded after the first paint.

import { html, LitElement } from "/kit/vendor/lit.js";
import { icon } from "../../shell/icons.js";
import { drawing } from "./drawing.js";
import { dayTable, spokenDay, summary } from "./words.js";

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
 * @property {number} [smallest] no step of the axis is a part of it; 1 if not given
 */

export class DayChart extends LitElement {
  // By their content: a page makes new lists each time it renders, and an equal chart need not be drawn anew.
  static properties = {
    name: {},
    remark: {},
    days: { attribute: false, hasChanged: differs },
    series: { attribute: false, hasChanged: differs },
    asTable: { state: true },
  };

  constructor() {
    super();
    this.name = "";
    /** What holds for the whole chart. */
    this.remark = "";
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
        ${this.remark ? html`<p class="faint small">${this.remark}</p>` : ""}
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
                ${dayTable(this)}
              </div>`
            : html`<div
                class="canvas"
                role="img"
                tabindex="0"
                aria-label=${summary(this)}
                @keydown=${this.move}
                @blur=${() => this.point(-1)}
              >
                <canvas></canvas>
              </div>`
        }
      </div>
      <p class="sr" role="status">${this.active >= 0 ? spokenDay(this, this.active) : ""}</p>`;
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
    this.chart = new Chart(canvas, drawing(this, this));
  }
}
customElements.define("day-chart", DayChart);

/** @param {unknown} a @param {unknown} b */
function differs(a, b) {
  return JSON.stringify(a) !== JSON.stringify(b);
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
