// A status as a badge: a glyph and a word, so that it does not depend on colour.

import { html, svg } from "/kit/vendor/lit.js";

/** @typedef {"ok" | "info" | "warn" | "bad" | "neutral" | "open"} Tone */

/** Word of each status; the tone follows from `toneOf`. */
const WORDS = new Map(
  Object.entries({
    PENDING_PAYMENT: "Payment pending",
    PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW: "Fraud review",
    PAYMENT_CAPTURE_PENDING_REVIEW: "Payment review",
    PAYMENT_CAPTURE_SUCCEEDED: "Captured",
    PAYMENT_AUTH_SUCCEEDED: "Authorized",
    PAYMENT_AUTHORIZED: "Authorized",
    PAYMENT_CREATED: "Created",
    PAYMENT_CAPTURE_FAILED: "Capture failed",
    PAYMENT_FAILED: "Payment failed",
    ISSUE_FAILED: "Not issued",
    CANCELED: "Cancelled",
    WAITING_FOR_INFO: "Information needed",
    KYB_IN_PROGRESS: "Being verified",
    DECISION_PENDING: "Decision pending",
    AWAITING_APPROVAL: "Draft", // what the card network calls a new offer; nobody approves it
    IN_BATCH: "In progress",
    NOT_ACTIVE: "Not active",
    REVIEW: "In review",
    PENDING_EMAIL_VERIFICATION: "To be verified",
    POS: "Till",
  }),
);

const OK = new Set([
  "COMPLETED",
  "ISSUED",
  "SUCCEEDED",
  "AVAILABLE",
  "ACTIVE",
  "PASSED",
  "PAYMENT_CAPTURE_SUCCEEDED",
  "CAPTURED",
  "READY",
  "FULFILMENT_FULFILLED",
]);
const INFO = new Set([
  "PAYMENT_AUTHORIZED",
  "PAYMENT_AUTH_SUCCEEDED",
  "AUTHORIZED",
  "IN_BATCH",
  "SUBMITTED",
  "KYB_IN_PROGRESS",
  "DECISION_PENDING",
  "INVITED",
  "INVITED_PENDING_ACCEPTANCE",
  "RUNNING",
]);
const WARN = new Set(["WAITING_FOR_INFO", "PENDING_YOUR_VERIFICATION", "PENDING_EMAIL_VERIFICATION"]);
const BAD = new Set(["BLOCKED", "SUSPENDED", "DECLINED"]);

const GLYPHS = {
  ok: svg`<path d="m2.5 6.5 2.5 2.5 4.5-5.5" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>`,
  info: svg`<circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M6 2a4 4 0 0 1 0 8z" fill="currentColor"/>`,
  warn: svg`<path d="M6 2v4.5M6 9.2v.6" fill="none" stroke="currentColor" stroke-width="1.9" stroke-linecap="round"/>`,
  bad: svg`<path d="m3 3 6 6m0-6-6 6" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/>`,
  neutral: svg`<circle cx="6" cy="6" r="3.6" fill="none" stroke="currentColor" stroke-width="1.5"/>`,
  open: svg`<circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="2 1.6"/>`,
};

/**
 * @param {string} value
 * @param {"order" | "settlement" | "redemption" | ""} [kind]
 * @returns {Tone}
 */
export function toneOf(value, kind = "") {
  const key = keyOf(value);
  if (key === "OPEN" || (key === "PENDING" && kind === "redemption")) return "open";
  if (key === "PAID") return kind === "order" ? "info" : "ok";
  if (OK.has(key)) return "ok";
  if (INFO.has(key)) return "info";
  if (WARN.has(key) || key.endsWith("REVIEW")) return "warn";
  if (BAD.has(key) || key.endsWith("FAILED")) return "bad";
  return "neutral";
}

/**
 * The word for a status; an unknown value is written as words.
 * @param {string} value
 * @returns {string}
 */
export function wordOf(value) {
  const known = WORDS.get(keyOf(value));
  if (known) return known;
  const words = value.replaceAll("_", " ").trim();
  return words === words.toUpperCase()
    ? words.charAt(0) + words.slice(1).toLowerCase()
    : words.charAt(0).toUpperCase() + words.slice(1);
}

/** @param {string} value */
function keyOf(value) {
  return value
    .trim()
    .toUpperCase()
    .replaceAll(/[^A-Z]+/g, "_");
}

/**
 * `kind` tells apart statuses of one name: an order that is paid is on its way, a settlement that is paid is done.
 * @param {string | null | undefined} value
 * @param {"order" | "settlement" | "redemption" | ""} [kind]
 */
export function badge(value, kind = "") {
  if (!value) return html``;
  const tone = toneOf(value, kind);
  return html`<span class="badge ${tone}"
    ><svg viewBox="0 0 12 12" aria-hidden="true">${GLYPHS[tone]}</svg>${wordOf(value)}</span
  >`;
}

/**
 * A badge with its own word.
 * @param {Tone} tone
 * @param {string} word
 */
export function toneBadge(tone, word) {
  return html`<span class="badge ${tone}"
    ><svg viewBox="0 0 12 12" aria-hidden="true">${GLYPHS[tone]}</svg>${word}</span
  >`;
}
