// What platform administrators did with a merchant, and who read it.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { formatRate } from "./fees.js";
import { store } from "./store.js";

/** @typedef {import("./store.js").Schemas["AdministeredMerchant"]} Merchant */

/** @type {Record<string, string>} */
const ACTIONS = {
  MERCHANT_READ: "Looked at",
  MERCHANT_CHANGED: "Changed",
  PAYOUT_RUN_STARTED: "Payout run started",
  PAYOUT_PAID: "Payout marked as paid",
  PAYOUT_CANCELLED: "Payout cancelled",
  SETTLEMENT_HELD: "Settlement held back",
  SETTLEMENT_RELEASED: "Settlement released",
};

/** Names of the fields, and how their values read. @type {Record<string, [string, (value: string, currency: string) => string]>} */
const FIELDS = {
  status: ["Status", wordOf],
  slug: ["Address of the shop", String],
  networkMerchantId: ["Network account", String],
  settlementMode: ["Settled", (mode) => modeWord(mode)],
  "fees.percentBps": ["Fee", (bps) => formatRate(Number(bps))],
  "fees.fixedMinor": ["Fixed fee", (amount, currency) => formatMinor(Number(amount), currency)],
  payoutDelayDays: ["Paid after", (days) => dayCount(Number(days))],
  defaultOfferId: ["Default offer", String],
  eligibleBefore: ["Payable before", (time) => formatDateTime(time)],
  reference: ["Reference", String],
  currency: ["Currency", String],
  held: ["Held back", (held) => (held === "true" ? "yes" : "no")],
  maxSaleMinor: ["Largest sale", (amount, currency) => formatMinor(Number(amount), currency)],
};

/** @param {number} days */
export const dayCount = (days) => `${days} ${days === 1 ? "day" : "days"}`;

/** @param {string | null} mode */
export function modeWord(mode) {
  return mode === "SETTLEMENT_ON_SALE" ? "On sale" : mode === "SETTLEMENT_ON_REDEMPTION" ? "On redemption" : "Not set";
}

/** @param {Merchant["audit"]} entries @param {string} currency */
export function history(entries, currency) {
  if (entries.length === 0) return html`<p class="none faint">Nothing yet</p>`;
  return html`<ul class="rows">
    ${entries.map(
      (entry) =>
        html`<li>
          <span class="two-lines grow"
            ><b>${ACTIONS[entry.action] ?? wordOf(entry.action)}</b>
            ${entry.changes.map(({ field, from, to }) => html`<span class="small muted wrap">${changeText(field, from, to, currency)}</span>`)}
            ${entry.reason ? html`<span class="small wrap" dir="auto">${entry.reason}</span>` : nothing}</span
          >
          <span class="amounts small muted"
            ><span>${formatDateTime(entry.at)}</span
            ><span
              >${entry.by === store.session?.user?.id ? "You" : html`<span class="mono">${entry.by}</span>`}</span
            ></span
          >
        </li>`,
    )}
  </ul>`;
}

/** @param {string} field @param {string | null | undefined} from @param {string | null | undefined} to @param {string} currency */
function changeText(field, from, to, currency) {
  const [name, read] = FIELDS[field] ?? [wordOf(field), String];
  /** @param {string | null | undefined} value */
  const text = (value) => (value ? read(value, currency) : "none");
  return from ? `${name}: ${text(from)}, now ${text(to)}` : `${name}: ${text(to)}`;
}
