// Overview: what waits, the figures of the period, and its days. What stands below is loaded after the first paint.

import { html, nothing } from "/kit/vendor/lit.js";
import { dateKeyOf, daysBefore, formatDay } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { isEmpty, loadMoney, stats } from "./overview-figures.js";
import { Page, Resource } from "../shell/page.js";
import { bars, head, PERIODS, periodOf, segmented, states, statSkeletons } from "../shell/parts.js";
import { goWith } from "../shell/router.js";
import { may, store } from "../shell/store.js";
import { loadStyles } from "../shell/styles.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {import("./overview-figures.js").Money} Money */
/** @typedef {import("./overview-figures.js").Figures} Figures */

const SKELETON = html`${statSkeletons(4)}
  <div class="beside">
    <div class="panel chart-space"></div>
    <div class="panel chart-space"></div>
  </div>`;

class OverviewPage extends Page {
  /** @type {7 | 14 | 30 | 90} */
  days = 30;
  /** @type {"money" | "visits"} */
  shape = "money";
  /** What a new business has to do; null where nothing is left. @type {import("./setup.js").Step[] | null} */
  steps = null;
  /** @type {typeof import("./setup.js") | null} */
  setup = null;
  /** What stands below the figures. @type {typeof import("./overview-later.js") | null} */
  later = null;

  /** What waits, for reading. @type {Promise<unknown> | undefined} */
  counts = undefined;

  figures = new Resource(this, async () => {
    const days = this.days;
    this.counts ??= import("./overview-later.js").then((later) => later.loadWaiting(() => this.count()));
    const [{ data: overview }, money, waiting] = await Promise.all([
      call(() => api.GET("/api/bff/analytics/overview", { params: { query: { days } } })),
      loadMoney(days),
      this.counts, // stands above: the figures do not jump
    ]);
    const figures = { overview, money, waiting };
    if (isEmpty(figures)) await this.loadSetup(overview);
    else this.loadSetup(overview); // its place is below
    return figures;
  });
  payouts = new Resource(this, async () => {
    return (await call(() => api.GET("/api/bff/payouts", { params: { query: { limit: 1 } } }))).data;
  });
  orders = new Resource(
    this,
    async () =>
      (await call(() => api.GET("/api/bff/merchant-orders", { params: { query: { page: 1, pageSize: 8 } } }))).data,
  );

  arrive() {
    this.days = periodOf(this.query);
    this.figures.load();
    if (this.orders.data) return; // only the period changed
    if (may("portal.reports")) this.payouts.load();
    if (may("portal.orders")) this.orders.load();
    this.loadLater();
  }

  count() {
    this.counts = undefined;
    return this.figures.load();
  }

  /** @param {Schemas["OverviewReport"]} overview */
  async loadSetup(overview) {
    const setup = await import("./setup.js");
    this.setup = setup.isSetUp() ? null : setup;
    this.steps = (await this.setup?.loadSetup(overview.kpis.uniqueSessions.value).catch(() => null)) ?? null;
    await loadStyles();
    this.requestUpdate();
  }

  hideSetup() {
    this.setup?.hideSetup();
    this.steps = null;
    this.requestUpdate();
  }

  async loadLater() {
    const [later] = await Promise.all([import("./overview-later.js"), loadStyles()]);
    this.later = later;
    this.requestUpdate();
  }

  render() {
    const { figures, steps } = this;
    const setup = this.setup?.setupPanel(this);
    if (steps && figures.data && isEmpty(figures.data)) return html`${head("Overview")} ${setup}`;
    const since = formatDay(daysBefore(dateKeyOf(Date.now(), store.timeZone), this.days - 1));
    const note = `${since} to today, compared with the ${this.days} days before`;
    const choose = (/** @type {string} */ days) => goWith({ days: days === "30" ? null : days });
    return html`${head("Overview", note, segmented("Period", PERIODS, String(this.days), choose))} ${this.waiting()}
      ${states(figures, { what: "Figures", skeleton: SKELETON, ready: (data) => this.report(data) })}
      <div class="with-shares">
        ${may("portal.orders") ? this.latestOrders() : nothing}
        ${figures.data && this.later ? this.later.rankings(figures.data, figures.loading) : nothing} ${setup}
      </div>`;
  }

  waiting() {
    return html`<section class="panel waiting" aria-label="Waiting for you">
      <span class="muted">Waiting for you</span>${this.figures.data?.waiting}
    </section>`;
  }

  /** @param {Figures} figures */
  report({ overview, money }) {
    return html`${stats(overview, money)}
      <div class="beside">
        <section class="panel">
          <header>
            <h2>Day by day</h2>
            ${money ? this.shapes(money) : nothing}
          </header>
          ${this.later ? this.later.chart({ overview, money }, this.shape) : html`<day-chart></day-chart>`}
        </section>
        ${this.later ? this.later.beside(this.payouts, overview) : html`<div class="panel chart-space"></div>`}
      </div>`;
  }

  /** @param {Money} money */
  shapes(money) {
    const options = /** @type {const} */ ([
      ["money", money.word],
      ["visits", "Visits and orders"],
    ]);
    return segmented("Figures of the chart", options, this.shape, (shape) => {
      this.shape = shape;
      this.requestUpdate();
    });
  }

  latestOrders() {
    const { later } = this;
    return html`<section class="panel">
      <header>
        <h2>Latest orders</h2>
        <a href="/orders">All orders</a>
      </header>
      ${later ? later.latestOrders(this.orders) : html`<div aria-busy="true">${bars(8)}</div>`}
    </section>`;
  }
}

customElements.define("overview-page", OverviewPage);
