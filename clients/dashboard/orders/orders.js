// Orders. Search, filters and page are in the address, so that a list can be sent to somebody.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { api, call } from "../shell/api.js";
import { exportButton } from "../reports/exports.js";
import { icon } from "../shell/icons.js";
import { filterChips, orderFilters } from "./order-filters.js";
import { orderTable } from "./order-table.js";
import { Page, Resource } from "../shell/page.js";
import { empty, formatCount, head, nothingYet, states } from "../shell/parts.js";
import { goWith } from "../shell/router.js";
import { loadSheet } from "../shell/styles.js";
import "../shell/search-key.js";

const PAGE_SIZE = 20;
const IN_REVIEW = "PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW";
const REVIEW_NOTE =
  "The platform's fraud check decides these. Until then, do not issue another card or refund the customer.";
/** @type {import("../shell/store.js").Schemas["OrderStatus"][]} */
const STATUSES = [
  "COMPLETED",
  "PAID",
  "PENDING_PAYMENT",
  "PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW",
  "PAYMENT_CAPTURE_PENDING_REVIEW",
  "PAYMENT_AUTH_SUCCEEDED",
  "PAYMENT_CAPTURE_SUCCEEDED",
  "PAYMENT_FAILED",
  "ISSUE_FAILED",
  "FAILED",
  "CANCELLED",
  "REFUNDED",
];
/** @type {import("../shell/store.js").Schemas["PaymentStatus"][]} */
const PAYMENTS = [
  "PAYMENT_CREATED",
  "PAYMENT_AUTHORIZED",
  "PAYMENT_CAPTURE_SUCCEEDED",
  "PAYMENT_CAPTURE_FAILED",
  "PAYMENT_FAILED",
];

const CHOICES = { statuses: STATUSES, payments: PAYMENTS };
/** On a phone the filters would fill the first screen. */
const narrow = matchMedia("(max-width: 40rem)");

class OrdersPage extends Page {
  connectedCallback() {
    super.connectedCallback();
    narrow.addEventListener("change", this.redraw);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    narrow.removeEventListener("change", this.redraw);
  }

  redraw = () => this.requestUpdate();

  list = new Resource(this, async () => {
    const { page, from, to } = this.filters();
    const query = { page, pageSize: PAGE_SIZE, ...this.filter(), ...(from && { from }), ...(to && { to }) };
    return (await call(() => api.GET("/api/bff/merchant-orders", { params: { query } }))).data;
  });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  typing = undefined;

  filters() {
    return {
      q: (this.query.get("q") ?? "").slice(0, 120),
      status: STATUSES.find((status) => status === this.query.get("status")),
      paymentStatus: PAYMENTS.find((status) => status === this.query.get("payment")),
      from: dayOf(this.query.get("from")),
      to: dayOf(this.query.get("to")),
      page: Math.max(1, Math.floor(Number(this.query.get("page")) || 1)),
    };
  }

  /** What list and export have in common, besides the days. */
  filter() {
    const { q, status, paymentStatus } = this.filters();
    return { ...(q && { q }), ...(status && { status }), ...(paymentStatus && { paymentStatus }) };
  }

  exportButton() {
    const { q, status, paymentStatus, from, to } = this.filters();
    const words = [
      q && `“${q}”`,
      status && wordOf(status),
      paymentStatus && `payment ${wordOf(paymentStatus).toLowerCase()}`,
    ];
    return exportButton("orders", { from, to, filter: this.filter(), filterWords: words.filter(Boolean).join(", ") });
  }

  arrive() {
    this.list.load();
    if (this.query.get("focus")) {
      goWith({ focus: null }, { replace: true });
      this.updateComplete.then(() => setTimeout(() => this.querySelector("input")?.focus()));
    }
  }

  /** @param {string} text */
  search(text) {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => goWith({ q: text.trim(), page: null }, { replace: true }), 250);
  }

  clear() {
    clearTimeout(this.typing);
    const input = this.querySelector("input");
    if (input) input.value = "";
    goWith({ q: null, status: null, payment: null, from: null, to: null, page: null });
  }

  render() {
    const { q, status, paymentStatus, from, to } = this.filters();
    const shown = { status, payment: paymentStatus, from, to };
    const input = this.querySelector("input");
    const text = input && document.activeElement === input ? input.value : q;
    return html`${head("Orders", "Sales online and at your tills, newest first", this.exportButton())}
      <section class="panel">
        <form class="filters" role="search" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
          <label class="search"
            ><span class="sr">Search orders</span>${icon("search")}<input
              class="input"
              type="search"
              maxlength="120"
              placeholder="Name, e-mail, order, payment"
              autocomplete="off"
              .value=${text}
              @input=${(/** @type {Event} */ event) => this.search(/** @type {HTMLInputElement} */ (event.target).value)}
              @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && /** @type {HTMLElement} */ (event.target).blur()}
          /></label>
          ${narrow.matches ? filterChips(shown, CHOICES) : orderFilters(shown, CHOICES)}
        </form>
        ${status === IN_REVIEW ? html`<p class="none muted review-note">${REVIEW_NOTE}</p>` : nothing}
        ${states(this.list, { what: "Orders", rows: 10, ready: (list) => this.results(list) })}
      </section>`;
  }

  /** @param {import("../shell/store.js").Schemas["OrderPage"]} list */
  results({ orders, total, page }) {
    if (orders.length === 0) return this.none(total);
    const first = (page - 1) * PAGE_SIZE + 1;
    const last = first + orders.length - 1;
    return html`${orderTable(orders)}
      <nav class="pages" aria-label="Pages of orders">
        <span class="muted" role="status">${formatCount(first)}–${formatCount(last)} of ${formatCount(total)}</span>
        ${page > 1 ? html`<a class="button" href=${this.pageAddress(page - 1)}>${icon("back", { mirror: true })}Newer</a>` : nothing}
        ${last < total ? html`<a class="button" href=${this.pageAddress(page + 1)}>Older${icon("next", { mirror: true })}</a>` : nothing}
      </nav>`;
  }

  /** @param {number} total */
  none(total) {
    const { page, from, to, ...filter } = this.filters();
    if (total > 0)
      return empty(
        "No orders on this page",
        "The list ends before it.",
        html`<a class="button" href=${this.pageAddress(1)}>First page</a>`,
      );
    if (from || to || Object.values(filter).some(Boolean))
      return empty(
        "No order matches",
        from && to && from > to ? "The first day is after the last one." : "Nothing fits the search and filters.",
        html`<button class="button" type="button" @click=${this.clear}>Clear filters</button>`,
      );
    return nothingYet("orders", "Sales from your shop and tills appear here.");
  }

  /** @param {number} page */
  pageAddress(page) {
    const query = new URLSearchParams(this.query);
    if (page === 1) query.delete("page");
    else query.set("page", String(page));
    return `/orders${query.size ? `?${query}` : ""}`;
  }
}

/** @param {string | null} text */
const dayOf = (text) => (text && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : undefined);

await loadSheet("/desk.css");
customElements.define("orders-page", OrdersPage);
