// What is outstanding of the cards that the merchant sold, for the overview.

import { html, LitElement, nothing } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { api, call } from "../shell/api.js";
import { Resource } from "../shell/page.js";
import { states } from "../shell/parts.js";

/** @typedef {import("../shell/store.js").Schemas["OutstandingReport"]} Report */

class OutstandingFigure extends LitElement {
  report = new Resource(this, () => call(() => api.GET("/api/bff/settlements/outstanding")));

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.report.load();
  }

  render() {
    const { data } = this.report;
    if (data && shown(data).length === 0) return nothing;
    return html`<section class="panel">
      <header>
        <h2>Outstanding gift cards</h2>
        <a href="/reports?tab=outstanding">Report</a>
      </header>
      <div class="inset">${states(this.report, { what: "The outstanding balance", rows: 1, ready: figures })}</div>
    </section>`;
  }
}

/** Not those in which only cards of others were redeemed. @param {Report} report */
const shown = ({ currencies }) =>
  currencies.filter((one) => one.outstandingMinor !== 0 || one.months.some((month) => month.issuedCount > 0));

/** @param {Report} report */
function figures(report) {
  const all = shown(report);
  return all.map(
    ({ currency, outstandingMinor }) =>
      html`<p class="figure"><bdi>${formatMinor(outstandingMinor, currency, { code: all.length > 1 })}</bdi></p>`,
  );
}

customElements.define("outstanding-figure", OutstandingFigure);
