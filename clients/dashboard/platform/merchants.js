// Merchants of the platform: those that wait for a decision first, or by what is due to them.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, wordOf } from "/kit/badge.js";
import { formatDate } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { icon } from "../shell/icons.js";
import { Page, Resource } from "../shell/page.js";
import { empty, formatCount, head, segmented, states } from "../shell/parts.js";
import { duePanels } from "./merchants-due.js";
import { readPreview } from "./payout-preview.js";
import { goWith } from "../shell/router.js";
import { table } from "../shell/table.js";
import "../shell/search-key.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */

/** @type {Schemas["MerchantStatus"][]} */
const STATUSES = [
  "DECISION_PENDING",
  "ACTIVE",
  "SUBMITTED",
  "KYB_IN_PROGRESS",
  "WAITING_FOR_INFO",
  "DRAFT",
  "SUSPENDED",
  "DECLINED",
  "INACTIVE",
];

const ORDERS = /** @type {const} */ ([
  ["waiting", "All"],
  ["due", "Due now"],
]);

class MerchantsPage extends Page {
  due = new Resource(this, () => readPreview({}));
  list = new Resource(this, async () => {
    const query = new URLSearchParams(this.query);
    const { q, status, cursor } = this.filters();
    const [waiting, page] = await Promise.all([
      q || status || cursor
        ? []
        : call(() => api.GET("/api/admin/merchants", { params: { query: { status: "DECISION_PENDING" } } })).then(
            (answer) => answer.data.merchants,
          ),
      call(() =>
        api.GET("/api/admin/merchants", {
          params: { query: { limit: 50, ...(q && { q }), ...(status && { status }), ...(cursor && { cursor }) } },
        }),
      ),
    ]);
    return {
      waiting,
      merchants: page.data.merchants.filter((one) => !waiting.some((other) => other.id === one.id)),
      part: { count: page.data.merchants.length, next: page.data.next, query },
      next: page.data.next,
    };
  });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  typing = undefined;
  /** Of pages that were reached from the one before: where that is, and how many merchants come first. By address. @type {Map<string, {previous: string, first: number}>} */
  reached = new Map();

  filters() {
    return {
      q: this.query.get("q") ?? "",
      status: STATUSES.find((status) => status === this.query.get("status")),
      cursor: this.query.get("cursor"),
    };
  }

  get order() {
    return ORDERS.find(([order]) => order === this.query.get("by"))?.[0] ?? "waiting";
  }

  arrive() {
    if (this.order === "due") this.due.load();
    else this.list.load();
  }

  render() {
    const isByDue = this.order === "due";
    return html`${head("Merchants", isByDue ? "The largest sum of each currency comes first" : "Those that wait for a decision come first")}
      <p class="bar spaced">
        ${segmented("Order", ORDERS, this.order, (by) => goWith({ by: by === "due" ? by : null, q: null, status: null, cursor: null }))}
      </p>
      ${isByDue ? states(this.due, { what: "What is due", rows: 6, ready: duePanels }) : this.all()}`;
  }

  all() {
    const { q, status } = this.filters();
    const input = this.querySelector("input");
    return html`<section class="panel">
      <form class="filters" role="search" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <label class="search"
          ><span class="sr">Search merchants</span>${icon("search")}<input
            class="input"
            type="search"
            placeholder="Name or address of the shop"
            autocomplete="off"
            .value=${input && document.activeElement === input ? input.value : q}
            @input=${(/** @type {Event} */ event) => {
              const text = /** @type {HTMLInputElement} */ (event.target).value.trim();
              clearTimeout(this.typing);
              this.typing = setTimeout(() => goWith({ q: text, cursor: null }, { replace: true }), 250);
            }}
        /></label>
        <select
          class="input"
          aria-label="Status"
          @change=${(/** @type {Event} */ event) => goWith({ status: /** @type {HTMLSelectElement} */ (event.target).value, cursor: null })}
        >
          <option value="">Any status</option>
          ${STATUSES.map((value) => html`<option value=${value} ?selected=${value === status}>${wordOf(value)}</option>`)}
        </select>
      </form>
      ${states(this.list, {
        what: "Merchants",
        rows: 6,
        ready: ({ waiting, merchants, part, next }) =>
          waiting.length + merchants.length === 0
            ? next
              ? html`<p class="none muted">Nothing on this page. Look at the next one.</p>
                  ${this.pages(part)}`
              : empty(
                  "No merchant matches",
                  "Nothing fits the search and filters.",
                  html`<button
                    class="button"
                    type="button"
                    @click=${() => goWith({ q: null, status: null, cursor: null })}
                  >
                    Clear filters
                  </button>`,
                )
            : html`${merchantTable([...waiting, ...merchants])}${this.pages(part)}`,
      })}
    </section>`;
  }

  /**
   * The API has no number of all: it is known on the last page.
   * @param {{count: number, next: string | null, query: URLSearchParams}} part what is shown: while the next page is loaded, the one before it
   */
  pages({ count, next, query }) {
    const cursor = query.get("cursor");
    const address = addressWith(query, cursor);
    const { previous, first } = this.reached.get(address) ?? { previous: addressWith(query, null), first: null };
    const start = cursor ? first : 0;
    const following = next && addressWith(query, next);
    if (following && start !== null) this.reached.set(following, { previous: address, first: start + count });
    const last = (start ?? 0) + count;
    const shown =
      start === null || count === 0
        ? ""
        : `${formatCount(start + 1)}–${formatCount(last)}${next ? "" : ` of ${formatCount(last)}`}`;
    return html`<nav class="pages" aria-label="Pages of merchants">
      <span class="muted" role="status">${shown}</span>
      ${start === 0 ? nothing : html`<a class="button" href=${previous}>${icon("back", { mirror: true })}${start === null ? "First page" : "Previous"}</a>`}
      ${following ? html`<a class="button" href=${following}>Next page${icon("next", { mirror: true })}</a>` : nothing}
    </nav>`;
  }
}

/** @param {URLSearchParams} before @param {string | null} cursor */
function addressWith(before, cursor) {
  const query = new URLSearchParams(before);
  if (cursor) query.set("cursor", cursor);
  else query.delete("cursor");
  return `/merchants${query.size ? `?${query}` : ""}`;
}

/** @type {import("../shell/table.js").Column<Schemas["MerchantEntry"]>[]} */
const COLUMNS = [
  { title: "Merchant", cell: nameAndSlug, look: "truncate" },
  { title: "Status", cell: ({ status }) => badge(status), narrow: "end" },
  { title: "Network account", cell: networkAccount, narrow: "hidden", look: "muted" },
  { title: "Since", cell: ({ createdAt }) => (createdAt ? formatDate(createdAt) : ""), look: "muted nowrap" },
];

/** @param {Schemas["MerchantEntry"][]} rows */
const merchantTable = (rows) => table({ caption: "Merchants", columns: COLUMNS, rows, linked: true });

/** @param {Schemas["MerchantEntry"]} merchant */
function networkAccount({ networkMerchantId }) {
  return networkMerchantId
    ? html`<span class="mono">${networkMerchantId}</span>`
    : html`<span class="faint">None</span>`;
}

/** @param {Schemas["MerchantEntry"]} merchant */
function nameAndSlug({ id, name, slug }) {
  return html`<a class="row truncate" dir="auto" href=${`/merchants/${encodeURIComponent(id)}`}>${name}</a>
    <span class="truncate small faint">${slug}</span>`;
}

customElements.define("merchants-page", MerchantsPage);
