// Reports: tabs over one period, and what is outstanding, by months. Which there are follows from what the business is paid for.

import { html, nothing } from "/kit/vendor/lit.js";
import { dateKeyOf, daysBefore } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { exportButton } from "./exports.js";
import { loadRedemptions, loadSales, moneyReports } from "./money-report.js";
import { MONTHS, monthsOf, outstanding } from "./outstanding.js";
import { Page, Resource } from "../shell/page.js";
import { head, PERIODS, periodOf, segmented, states, statSkeletons } from "../shell/parts.js";
import { fraud, redemptions, sales, visits } from "./report-views.js";
import { goWith } from "../shell/router.js";
import { may, store } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */

const TABS = /** @type {const} */ ([
  ["redemptions", "Redemptions"],
  ["sales", "Sales"],
  ["visits", "Visits"],
  ["fraud", "Fraud checks"],
  ["outstanding", "Outstanding"],
]);
/** @typedef {(typeof TABS)[number][0]} Tab */

const SKELETON = html`<p class="period">&nbsp;</p>
  ${statSkeletons(4)}
  <div class="panel chart-space"></div>`;

class ReportsPage extends Page {
  /** @type {7 | 14 | 30 | 90} */
  days = 30;
  redemptions = new Resource(this, () => loadRedemptions(this.days));
  sales = new Resource(this, () => loadSales(this.days));
  visits = new Resource(this, async () => {
    const params = { query: { days: this.days } };
    return (await call(() => api.GET("/api/bff/analytics/overview", { params }))).data;
  });
  fraud = new Resource(this, async () => {
    const params = { query: { days: this.days } };
    return (await call(() => api.GET("/api/bff/analytics/fraud", { params }))).data;
  });
  outstanding = new Resource(this, () => {
    const params = { query: { months: Number(monthsOf(this.query)) } };
    return call(() => api.GET("/api/bff/settlements/outstanding", { params }));
  });

  tabs() {
    const ofMode = moneyReports();
    return TABS.filter(([tab]) => {
      if (tab === "outstanding") return may("portal.reports");
      return (tab !== "sales" && tab !== "redemptions") || ofMode.includes(tab);
    });
  }

  /** @returns {Tab} */
  get tab() {
    const tabs = this.tabs();
    return (tabs.find(([tab]) => tab === this.query.get("tab")) ?? tabs[0])?.[0] ?? "visits";
  }

  arrive() {
    this.days = periodOf(this.query);
    this[this.tab].load();
  }

  render() {
    const { tab } = this;
    const period =
      tab === "outstanding"
        ? segmented("Period", MONTHS, monthsOf(this.query), (months) =>
            goWith({ months: months === "12" ? null : months }),
          )
        : segmented("Period", PERIODS, String(this.days), (days) => goWith({ days: days === "30" ? null : days }));
    return html`${head("Reports", nothing, html`${period}${this.exportOf(tab)}`)}
      <nav class="tabs" aria-label="Reports">${this.tabs().map(([name, word]) => this.tabLink(name, word))}</nav>
      ${this.report(tab)}`;
  }

  /** @param {Tab} name @param {string} word */
  tabLink(name, word) {
    const days = this.query.get("days");
    const address = `/reports?tab=${name}${days ? `&days=${days}` : ""}`;
    return html`<a href=${address} aria-current=${name === this.tab ? "page" : nothing}>${word}</a>`;
  }

  /** The rows behind the report. @param {Tab} tab */
  exportOf(tab) {
    const to = dateKeyOf(Date.now(), store.timeZone);
    const shown = { from: daysBefore(to, this.days - 1), to };
    if (tab === "redemptions") return exportButton("redemptions", shown);
    return tab === "sales" && may("portal.orders") ? exportButton("orders", shown) : nothing;
  }

  /** @param {Tab} tab */
  report(tab) {
    const skeleton = SKELETON;
    switch (tab) {
      case "redemptions":
        return states(this.redemptions, { what: "Redemptions", skeleton, ready: redemptions });
      case "sales":
        return states(this.sales, { what: "Sales", skeleton, ready: sales });
      case "outstanding":
        return states(this.outstanding, { what: "The outstanding balance", skeleton, ready: outstanding });
      case "visits":
        return states(this.visits, { what: "Visits", skeleton, ready: visits });
      default:
        return states(this.fraud, { what: "Fraud checks", skeleton, ready: fraud });
    }
  }
}

await loadSheet("/desk.css");
customElements.define("reports-page", ReportsPage);
