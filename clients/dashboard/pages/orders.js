// Orders. Search, filters and page are in the address, so that a list can be sent to somebody.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { api, call } from "../api.js";
import { exportButton } from "../exports.js";
import { icon } from "../icons.js";
import { orderTable } from "../order-table.js";
import { Page, Resource } from "../page.js";
import { empty, formatCount, head, nothingYet, states } from "../parts.js";
import { goWith } from "../router.js";
import "../search-key.js";

const PAGE_SIZE = 20;
/** @type {import("../store.js").Schemas["OrderStatus"][]} */
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
/** @type {import("../store.js").Schemas["PaymentStatus"][]} */
const PAYMENTS = [
  "PAYMENT_CREATED",
  "PAYMENT_AUTHORIZED",
  "PAYMENT_CAPTURE_SUCCEEDED",
  "PAYMENT_CAPTURE_FAILED",
  "PAYMENT_FAILED",
];

class OrdersPage extends Page {
  list = new Resource(this, async () => {
    const { q, status, paymentStatus, page } = this.filters();
    return (
      await call(() =>
        api.GET("/api/bff/merchant-orders", {
          params: {
            query: {
              page,
              pageSize: PAGE_SIZE,
              ...(q && { q }),
              ...(status && { status }),
              ...(paymentStatus && { paymentStatus }),
            },
          },
        }),
      )
    ).data;
  });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  typing = undefined;

  filters() {
    return {
      q: (this.query.get("q") ?? "").slice(0, 120),
      status: STATUSES.find((status) => status === this.query.get("status")),
      paymentStatus: PAYMENTS.find((status) => status === this.query.get("payment")),
      page: Math.max(1, Math.floor(Number(this.query.get("page")) || 1)),
    };
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
    goWith({ q: null, status: null, payment: null, page: null });
  }

  render() {
    const { q, status, paymentStatus } = this.filters();
    /** @param {string} name */
    const chosen = (name) => (/** @type {Event} */ event) =>
      goWith({ [name]: /** @type {HTMLSelectElement} */ (event.target).value, page: null });
    const input = this.querySelector("input");
    const text = input && document.activeElement === input ? input.value : q;
    return html`${head("Orders", "Sales online and at your tills, newest first", exportButton("orders"))}
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
          <select class="input" aria-label="Status" @change=${chosen("status")}>
            <option value="">Any status</option>
            ${STATUSES.map((value) => html`<option value=${value} ?selected=${value === status}>${wordOf(value)}</option>`)}
          </select>
          <select class="input" aria-label="Payment" @change=${chosen("payment")}>
            <option value="">Any payment</option>
            ${PAYMENTS.map((value) => html`<option value=${value} ?selected=${value === paymentStatus}>${wordOf(value)}</option>`)}
          </select>
        </form>
        ${states(this.list, { what: "Orders", rows: 10, ready: (list) => this.results(list) })}
      </section>`;
  }

  /** @param {import("../store.js").Schemas["OrderPage"]} list */
  results({ orders, total, page }) {
    const { q, status, paymentStatus } = this.filters();
    if (orders.length === 0) {
      return q || status || paymentStatus || page > 1
        ? empty(
            "No order matches",
            "Nothing fits the search and filters.",
            html`<button class="button" type="button" @click=${this.clear}>Clear filters</button>`,
          )
        : nothingYet("orders", "Sales from your shop and tills appear here.");
    }
    const first = (page - 1) * PAGE_SIZE + 1;
    const last = first + orders.length - 1;
    return html`${orderTable(orders)}
      <nav class="pages" aria-label="Pages of orders">
        <span class="muted" role="status">${formatCount(first)}–${formatCount(last)} of ${formatCount(total)}</span>
        ${page > 1 ? html`<a class="button" href=${this.pageAddress(page - 1)}>${icon("back", { mirror: true })}Newer</a>` : nothing}
        ${last < total ? html`<a class="button" href=${this.pageAddress(page + 1)}>Older${icon("next", { mirror: true })}</a>` : nothing}
      </nav>`;
  }

  /** @param {number} page */
  pageAddress(page) {
    const query = new URLSearchParams(this.query);
    if (page === 1) query.delete("page");
    else query.set("page", String(page));
    return `/orders${query.size ? `?${query}` : ""}`;
  }
}
customElements.define("orders-page", OrdersPage);
