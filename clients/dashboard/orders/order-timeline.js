// An order as a timeline: placed, paid, checked, issued, redeemed, given back, settled. Only of what the API knows.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { HELD } from "./held.js";
import { icon } from "../shell/icons.js";
import { store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["Order"]} Order */
/** @typedef {Schemas["CardHistoryEvent"]} CardEvent */
/** @typedef {NonNullable<Schemas["SettlementBySource"]["settlement"]>} Settlement */

/**
 * @typedef {object} Step
 * @property {"past" | "now" | "open" | "bad"} state
 * @property {string} name
 * @property {string | undefined} [at]
 * @property {unknown} [text]
 */

/**
 * @param {Order} order
 * @param {readonly CardEvent[]} events of its cards
 * @param {readonly Settlement[]} settlements
 */
export function timeline(order, events, settlements) {
  const steps = [
    placed(order, events),
    ...paid(order),
    ...checked(order),
    ...issued(order, events),
    ...redeemed(events),
    ...settlements.map(settled),
  ];
  return html`<ol class="timeline short">
    ${steps.map(stepRow)}
  </ol>`;
}

const ICONS = /** @type {const} */ ({ past: "done", now: "info", open: "info", bad: "warn" });
const SPOKEN = { past: "", now: "Now: ", open: "To come: ", bad: "Failed: " };

/** @param {Step} step */
function stepRow({ state, name, at, text }) {
  return html`<li class=${state} aria-current=${state === "now" ? "step" : nothing}>
    ${icon(ICONS[state])}
    <div>
      ${at ? html`<time class="amounts small muted" datetime=${at}>${formatDateTime(at, store.timeZone)}</time>` : nothing}
      <b><span class="sr">${SPOKEN[state]}</span>${name}</b>
      ${text ? html`<p class="wrap">${text}</p>` : nothing}
    </div>
  </li>`;
}

/** @param {{storeName: string | null, by: string | null}} event */
export function placeOf({ storeName, by }) {
  return [storeName && `at ${storeName}`, by && `by ${by}`].filter(Boolean).join(", ");
}

/** @param {Order} order @param {readonly CardEvent[]} events @returns {Step} */
function placed({ createdAt, refundOf }, events) {
  const sale = events.find(({ kind }) => kind === "ISSUED" || kind === "GIVEN_BACK");
  const name = refundOf ? "Returned" : "Placed";
  return { state: "past", name, at: createdAt, text: sale ? capitalized(placeOf(sale)) : "" };
}

/** What is given back was paid before. @param {Order} order @returns {Step[]} */
function paid({ refundOf, refundReason, paymentStatus, status }) {
  if (refundOf) return refundReason ? [{ state: "past", name: "Given back as a card", text: refundReason }] : [];
  switch (paymentStatus) {
    case "PAYMENT_CAPTURE_SUCCEEDED":
      return [{ state: "past", name: "Paid" }];
    case "PAYMENT_AUTHORIZED":
      return [{ state: "now", name: "Reserved", text: "The bank holds the amount. It is not collected yet." }];
    case "PAYMENT_CAPTURE_FAILED":
      return [
        { state: "bad", name: "Not collected", text: "The bank held the amount, but it could not be collected." },
      ];
    case "PAYMENT_FAILED":
      return [{ state: "bad", name: "Not paid", text: "The payment failed." }];
    default:
      return [{ state: status === "CANCELLED" ? "bad" : "now", name: "Not paid yet" }];
  }
}

/** @param {Order} order @returns {Step[]} */
function checked({ status, fraud }) {
  const at = fraud.decidedAt ?? undefined;
  if (status === "PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW")
    return [{ state: "now", name: "In fraud review", at, text: html`${fraud.reason} ${REVIEW}` }];
  if (status === "PAYMENT_CAPTURE_PENDING_REVIEW")
    return [
      {
        state: "now",
        name: "Payment in review",
        text: "The payment processor is reviewing it. No card is issued until then.",
      },
    ];
  switch (fraud.status) {
    case "PASSED":
      return [{ state: "past", name: "Checked", at, text: "The fraud check found nothing unusual." }];
    case "REVIEW":
      return [{ state: "past", name: "Sent to fraud review", at, text: fraud.reason }];
    case "BLOCKED":
      return [{ state: "bad", name: "Blocked by the fraud check", at, text: fraud.reason }];
    default:
      return [];
  }
}

const REVIEW = html`The platform's fraud check decides. There is nothing for your team to do. Until then no card is
issued: do not issue another one, and do not refund the customer. If it passes, the order continues by itself.`;

/** @param {Order} order @param {readonly CardEvent[]} events @returns {Step[]} */
function issued({ status, giftCards, deliveryType, recipientEmail }, events) {
  const at = events.find(({ kind }) => kind === "ISSUED" || kind === "GIVEN_BACK")?.at;
  const count = giftCards.filter((card) => card.status === "ISSUED").length;
  if (count > 0) {
    const way = {
      EMAIL: recipientEmail ? `by e-mail to ${recipientEmail}` : "by e-mail",
      SMS: "by text message",
      QR: "as a code",
    };
    const name = count === 1 ? "Card issued" : `${count} cards issued`;
    /** @type {Step[]} */
    const steps = [{ state: "past", name, at, text: capitalized(way[deliveryType]) }];
    if (status === "REFUNDED") steps.push({ state: "bad", name: "Refunded" });
    if (status === "CANCELLED") steps.push({ state: "bad", name: "Cancelled" });
    return steps;
  }
  return notIssued(status);
}

/** @param {Order["status"]} status @returns {Step[]} */
function notIssued(status) {
  switch (status) {
    case "ISSUE_FAILED":
      return [{ state: "bad", name: "Not issued", text: "The card network did not issue a card." }];
    case "FAILED":
    case "PAYMENT_FAILED":
      return [{ state: "bad", name: "Failed", text: "No card was issued." }];
    case "CANCELLED":
      return [{ state: "bad", name: "Cancelled", text: "No card was issued." }];
    case "REFUNDED":
      return [{ state: "bad", name: "Refunded", text: "No card is in use." }];
    default:
      return [{ state: "open", name: "Card issued" }];
  }
}

/** @param {readonly CardEvent[]} events latest first @returns {Step[]} */
function redeemed(events) {
  return events
    .filter(({ kind }) => kind === "REDEEMED" || kind === "UNKNOWN")
    .toReversed()
    .flatMap((event) => [redemption(event), ...givenBack(event)]);
}

/** @param {CardEvent} event @returns {Step} */
function redemption(event) {
  const amount = formatMinor(event.amountMinor, event.currency);
  const place = capitalized(placeOf(event));
  return event.kind === "REDEEMED"
    ? { state: "past", name: `${amount} redeemed`, at: event.at, text: place }
    : { state: "now", name: `${amount}: not known yet whether it was redeemed`, at: event.at, text: place };
}

/** @param {CardEvent} event @returns {Step[]} */
function givenBack({ refundedMinor, currency }) {
  return refundedMinor ? [{ state: "past", name: `${formatMinor(refundedMinor, currency)} of it given back` }] : [];
}

/** @param {Settlement} settlement @returns {Step} */
function settled({ status, netAmountMinor, currency, heldBecause }) {
  const amount = formatMinor(netAmountMinor, currency);
  if (status === "PAID") return { state: "past", name: `${amount} paid out to you` };
  if (status === "IN_BATCH") return { state: "now", name: `${amount} is being paid out to you` };
  if (heldBecause === "OWN_SALE") return { state: "past", name: "Not paid out", text: HELD.OWN_SALE };
  if (heldBecause) return { state: "now", name: `${amount} is held back`, text: HELD[heldBecause] };
  const text = status === "PENDING" ? "" : badge(status, "settlement");
  return { state: "open", name: `${amount} is waiting for a payout`, text };
}

/** @param {string} text */
export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);
