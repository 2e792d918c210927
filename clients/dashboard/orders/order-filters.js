// The filters of orders: beside the search, or on a phone as a row of chips with a sheet behind them.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { formatDay } from "/kit/time.js";
import { actionDialog } from "../forms/dialogs.js";
import { field } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { goWith } from "../shell/router.js";

/** @typedef {"status" | "payment" | "from" | "to"} Name in the address */
/** @typedef {Partial<Record<Name, string>>} Filters */
/** @typedef {readonly string[]} Values */

/** @type {Record<Name, string>} */
const LABELS = { status: "Status", payment: "Payment", from: "From", to: "To" };

/** @param {Filters} filters @param {{statuses: Values, payments: Values}} choices */
export function orderFilters(filters, { statuses, payments }) {
  return html`${select("status", "Any status", statuses, filters)}${select("payment", "Any payment", payments, filters)}
  ${dayField("from", filters)}${dayField("to", filters)}`;
}

/** What is filtered, each a chip that takes it away. @param {Filters} filters @param {{statuses: Values, payments: Values}} choices */
export function filterChips(filters, choices) {
  const set = /** @type {Name[]} */ (Object.keys(LABELS)).filter((name) => filters[name]);
  return html`<div class="filter-chips">
    <button class="button" type="button" @click=${() => openSheet(filters, choices)}>
      Filters${set.length ? ` (${set.length})` : ""}
    </button>
    ${set.map((name) => {
      const text = `${name === "from" || name === "to" ? `${LABELS[name]} ` : ""}${wordOfFilter(name, filters[name] ?? "")}`;
      return html`<button
        class="button quiet"
        type="button"
        aria-label=${`Remove the filter ${text}`}
        @click=${() => goWith({ [name]: null, page: null })}
      >
        ${text}${icon("close")}
      </button>`;
    })}
  </div>`;
}

/** @param {Filters} filters @param {{statuses: Values, payments: Values}} choices */
async function openSheet({ status, payment, from, to }, { statuses, payments }) {
  /** @param {string} any @param {Values} values */
  const options = (any, values) =>
    [["", any], ...values.map((value) => [value, wordOf(value)])].map(
      ([value = "", word = ""]) => /** @type {const} */ ([value, word]),
    );
  await actionDialog({
    title: "Filters",
    verb: "Show orders",
    failed: "",
    content: () =>
      html`${field({ name: "status", label: "Status", value: status, options: options("Any status", statuses) })}
        ${field({ name: "payment", label: "Payment", value: payment, options: options("Any payment", payments) })}
        <div class="two">
          ${field({ name: "from", label: "From", type: "date", value: from })}
          ${field({ name: "to", label: "To", type: "date", value: to })}
        </div>`,
    act: async ({ status = "", payment = "", from = "", to = "" }) => goWith({ status, payment, from, to, page: null }),
  });
}

/** @param {Name} name @param {string} value */
const wordOfFilter = (name, value) => (name === "from" || name === "to" ? formatDay(value) : wordOf(value));

/** @param {Name} name @returns {(event: Event) => void} */
const chosen = (name) => (event) =>
  goWith({ [name]: /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value, page: null });

/** @param {Name} name @param {string} any @param {Values} values @param {Filters} filters */
function select(name, any, values, filters) {
  return html`<select class="input" aria-label=${LABELS[name]} @change=${chosen(name)}>
    <option value="">${any}</option>
    ${values.map((value) => html`<option value=${value} ?selected=${value === filters[name]}>${wordOf(value)}</option>`)}
  </select>`;
}

/** @param {Name} name @param {Filters} filters */
function dayField(name, filters) {
  return html`<label class="day"
    ><span class="small">${LABELS[name]}</span
    ><input class="input" type="date" .value=${filters[name] ?? ""} @change=${chosen(name)}
  /></label>`;
}
