// What was done with a merchant, as sentences: by whom, when and why.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { formatRate } from "../payouts/fees.js";
import { addressOf, nameOf } from "./people.js";
import { payoutAddress } from "./settlement-holds.js";

/** @typedef {import("../shell/store.js").Schemas["AdministeredMerchant"]["audit"][number]} Entry */
/** @typedef {import("./people.js").People} People */

/** @type {Record<string, string>} */
const DONE = {
  MERCHANT_READ: "viewed the merchant",
  MERCHANT_CHANGED: "changed the merchant",
  SETTLEMENT_HELD: "held a settlement back",
  SETTLEMENT_RELEASED: "released a settlement",
  IDENTITY_CHANGED: "changed the identity of the business",
  DOCUMENT_READ: "opened a document",
  IMAGE_TAKEN_DOWN: "took an image down",
};

/** What was done with a payout, or a run of payouts: before and after its link. @type {Record<string, [string, string, string]>} */
const PAID = {
  PAYOUT_RUN_STARTED: ["started", "a payout run", ""],
  PAYOUT_FILE_READ: ["opened the file of", "a payout", ""],
  PAYOUT_PAID: ["marked", "a payout", "as paid"],
  PAYOUT_CANCELLED: ["cancelled", "a payout", ""],
};

/** A new status, by the one before where that matters. @type {Record<string, string>} */
const DECIDED = {
  "DECISION_PENDING ACTIVE": "approved the application",
  "SUSPENDED ACTIVE": "lifted the suspension",
  WAITING_FOR_INFO: "asked for information",
  SUSPENDED: "suspended the merchant",
  INACTIVE: "closed the merchant for good",
  DECLINED: "declined the application",
};

/** Entries of somebody who only looked. */
const LOOKS = new Set(["MERCHANT_READ", "DOCUMENT_READ", "PAYOUT_FILE_READ"]);

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
  ...Object.fromEntries(
    /** @type {const} */ ([
      ["legalName", "Legal name"],
      ["tradeName", "Trade name"],
      ["tradingName", "Trading name"],
      ["registrationNumber", "Registration number"],
      ["vatNumber", "VAT number"],
      ["country", "Country"],
      ["legalAddress", "Registered address"],
      ["directors", "Directors"],
      ["documents", "Documents"],
    ]).map(([field, name]) => [field, [name, String]]),
  ),
};

/** @param {string} field */
export const fieldName = (field) => FIELDS[field]?.[0] ?? wordOf(field);

/** @param {number} days */
export const dayCount = (days) => `${days} ${days === 1 ? "day" : "days"}`;

/** @param {string | null} mode */
export function modeWord(mode) {
  return mode === "SETTLEMENT_ON_SALE" ? "On sale" : mode === "SETTLEMENT_ON_REDEMPTION" ? "On redemption" : "Not set";
}

/** @param {readonly Entry[]} entries */
export const withoutLooks = (entries) => entries.filter(({ action }) => !LOOKS.has(action));

/** @param {readonly Entry[]} entries @param {{currency: string, people: People}} known */
export function history(entries, { currency, people }) {
  if (entries.length === 0) return html`<p class="none faint">Nothing yet</p>`;
  return html`<ol class="rows history">
    ${entries.map((entry) => sentence(entry, currency, people))}
  </ol>`;
}

/** @param {Entry} entry @param {string} currency @param {People} people */
function sentence(entry, currency, people) {
  return html`<li>
    <span class="two-lines grow">
      <span class="wrap"><b dir="auto">${whoOf(entry, people)}</b> ${whatOf(entry)}</span>
      ${shownChanges(entry).map((change) => html`<span class="small muted wrap">${changeText(change, currency)}</span>`)}
      ${entry.reason ? html`<q class="small wrap" dir="auto">${entry.reason}</q>` : nothing}
    </span>
    <span class="amounts small muted">
      <time datetime=${entry.at}>${formatDateTime(entry.at)}</time>
      <span class="wrap">${addressOf(entry.by, people)}</span>
    </span>
  </li>`;
}

/** @param {Entry} entry @param {People} people */
function whoOf({ action, by }, people) {
  // Members change who the business is, and may have left; administrators do all else.
  return nameOf(by, people, action === "IDENTITY_CHANGED" ? "A member" : "An administrator");
}

/** @param {Entry} entry */
function whatOf({ action, changes, subject }) {
  const status = changes.find(({ field }) => field === "status");
  const decided = status && (DECIDED[`${status.from} ${status.to}`] ?? DECIDED[status.to ?? ""]);
  if (decided) return decided;
  if (changes.length > 0 && changes.every(({ field }) => field === "identityReviewed"))
    return "reviewed the identity of the business";
  const [before, what, after] = PAID[action] ?? [];
  if (!what) return DONE[action] ?? wordOf(action).toLowerCase();
  return html`${before} ${subject ? html`<a href=${paidAddress(action, subject)}>${what}</a>` : what} ${after}`;
}

/** @param {string} action @param {string} subject */
function paidAddress(action, subject) {
  return action === "PAYOUT_RUN_STARTED"
    ? `/payouts-due/run?run=${encodeURIComponent(subject)}`
    : payoutAddress(subject);
}

/** What the sentence does not say already. @param {Entry} entry */
function shownChanges({ action, changes }) {
  return changes.filter(({ field, from, to }) => {
    if (field === "held" || field === "identityReviewed") return false;
    const isSaid = action.startsWith("PAYOUT") || DECIDED[`${from} ${to}`] || DECIDED[to ?? ""];
    return field !== "status" || !isSaid;
  });
}

/** @param {Entry["changes"][number]} change @param {string} currency */
function changeText({ field, from, to }, currency) {
  const [name, read] = FIELDS[field] ?? [wordOf(field), String];
  /** @param {string | null | undefined} value */
  const text = (value) => (value ? read(value, currency) : "none");
  return from ? `${name}: ${text(from)}, now ${text(to)}` : `${name}: ${text(to)}`;
}
