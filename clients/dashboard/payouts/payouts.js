// Payouts: what is owed, what was paid, and each settlement with its fee.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatDate } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { exportButton } from "../reports/exports.js";
import { icon } from "../shell/icons.js";
import { loadPayouts } from "./merchant-payouts.js";
import { Page, Resource } from "../shell/page.js";
import { bars, empty, formatCount, head, nothingYet, states, statSkeletons } from "../shell/parts.js";
import { outlookPanels } from "./payout-outlook.js";
import { payoutAmount, statusBadge } from "./payout-state.js";
import { settlementTable } from "./settlement-table.js";
import { store } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";
import { table } from "../shell/table.js";

/** @typedef {import("./merchant-payouts.js").MerchantPayout} MerchantPayout */
/** @typedef {import("../shell/store.js").Schemas["SettlementPage"]} SettlementPage */

const TAKE = 25;

class PayoutsPage extends Page {
  payouts = new Resource(this, () => loadPayouts(this.query.get("cursor")));
  settlements = new Resource(this, () => {
    const query = { take: TAKE, skip: (this.number - 1) * TAKE };
    return call(() => api.GET("/api/bff/settlements", { params: { query } }));
  });

  get tab() {
    return this.query.get("tab") === "settlements" ? "settlements" : "payouts";
  }

  get number() {
    return Math.max(1, Math.floor(Number(this.query.get("page")) || 1));
  }

  arrive() {
    if (this.tab === "payouts" || !this.payouts.data) this.payouts.load();
    if (this.tab === "settlements") this.settlements.load();
  }

  render() {
    return html`${head("Payouts", "What is owed to your business, and what was paid", exportButton("settlements"))}
      ${states(this.payouts, {
        what: "Payouts",
        skeleton: statSkeletons(3),
        ready: ({ outlook }) => outlookPanels(outlook),
      })}
      <nav class="tabs" aria-label="Payouts and settlements">
        ${this.tabLink("payouts", "/payouts", "Payouts")}${this.tabLink("settlements", "/payouts?tab=settlements", "Settlements")}
      </nav>
      <section class="panel">${this.tab === "payouts" ? this.payoutList() : this.settlementList()}</section>`;
  }

  /** @param {"payouts" | "settlements"} tab @param {string} address @param {string} word */
  tabLink(tab, address, word) {
    return html`<a href=${address} aria-current=${tab === this.tab ? "page" : nothing}>${word}</a>`;
  }

  /** Of the same answer as what is owed, which says what went wrong. */
  payoutList() {
    const { data, problem, loading } = this.payouts;
    if (!data) return problem ? nothing : bars(5);
    return html`<div class=${loading ? "stale" : "fresh"}>${this.paid(data.payouts, data.next)}</div>`;
  }

  /** @param {MerchantPayout[]} payouts @param {string | null} next */
  paid(payouts, next) {
    const isFirst = !this.query.get("cursor");
    if (payouts.length === 0)
      return isFirst
        ? nothingYet("payouts", "What the platform pays you appears here, as on the statement of your bank.")
        : empty("No more payouts", "The list ends before this page.", newest());
    return html`${payoutTable(payouts)}
    ${
      isFirst && !next
        ? nothing
        : html`<nav class="pages" aria-label="Pages of payouts">
            <span></span>${isFirst ? nothing : newest()}
            ${next ? html`<a class="button" href=${`/payouts?cursor=${encodeURIComponent(next)}`}>Older${icon("next", { mirror: true })}</a>` : nothing}
          </nav>`
    }`;
  }

  settlementList() {
    return states(this.settlements, { what: "Settlements", rows: 10, ready: (page) => this.settled(page) });
  }

  /** @param {SettlementPage} page */
  settled({ rows, total }) {
    if (rows.length === 0)
      return total > 0
        ? empty(
            "No settlements on this page",
            "The list ends before it.",
            html`<a class="button" href=${settlementsAt(1)}>First page</a>`,
          )
        : nothingYet("settlements", "What you are paid for sales and redemptions appears here.");
    const first = (this.number - 1) * TAKE + 1;
    const last = first + rows.length - 1;
    return html`${settlementTable(rows)}
      <nav class="pages" aria-label="Pages of settlements">
        <span class="muted" role="status">${formatCount(first)}–${formatCount(last)} of ${formatCount(total)}</span>
        ${this.number > 1 ? html`<a class="button" href=${settlementsAt(this.number - 1)}>${icon("back", { mirror: true })}Newer</a>` : nothing}
        ${last < total ? html`<a class="button" href=${settlementsAt(this.number + 1)}>Older${icon("next", { mirror: true })}</a>` : nothing}
      </nav>`;
  }
}

/** @param {number} page */
const settlementsAt = (page) => `/payouts?tab=settlements${page > 1 ? `&page=${page}` : ""}`;

const newest = () => html`<a class="button" href="/payouts">${icon("back", { mirror: true })}Newest</a>`;

/** @type {import("../shell/table.js").Column<MerchantPayout>[]} */
const COLUMNS = [
  { title: "Date", cell: dateLink },
  { title: "Status", cell: statusBadge, narrow: "end" },
  { title: "Reference", cell: reference, look: "wrap" },
  {
    title: "Settlements",
    cell: ({ count }) => (count === null ? "" : formatCount(count)),
    number: true,
    narrow: "hidden",
  },
  {
    title: "Amount",
    cell: (row, code) => html`<b><bdi>${payoutAmount(row, code)}</bdi></b>`,
    number: true,
    narrow: "end",
  },
];

/** @param {MerchantPayout} payout */
function reference({ reference }) {
  return reference ? html`<span class="mono">${reference}</span>` : html`<span class="faint">None yet</span>`;
}

/** @param {MerchantPayout[]} payouts */
const payoutTable = (payouts) => table({ caption: "Payouts", columns: COLUMNS, rows: payouts, linked: true });

/** @param {MerchantPayout} payout */
function dateLink({ id, paidAt, createdAt }) {
  const date = formatDate(paidAt ?? createdAt, store.timeZone);
  return html`<a class="row" href=${`/payouts/${encodeURIComponent(id)}`}>${date}</a>`;
}

await loadSheet("/desk.css");
customElements.define("payouts-page", PayoutsPage);
