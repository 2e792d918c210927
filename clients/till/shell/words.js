// Words for what failed: what happened, that nothing was changed, what to do.

import { otherThing } from "/kit/card-codes.js";
import { property } from "/portal-api/errors.js";

/** @typedef {import("../till.js").Failure} Failure */

const DEFAULT_RETRY_AFTER = 60; // seconds

/** @type {Record<string, string>} */
const REFUSALS = {
  CARD_NOT_FOUND: "No such card. Scan it again.",
  CARD_BLOCKED: "The card is blocked.",
  CARD_EXPIRED: "The card has expired.",
  INSUFFICIENT_FUNDS: "There is less on the card than this.",
  INVALID_AMOUNT: "The card network does not accept this amount.",
  OFFER_NOT_FOUND: "This offer is no longer sold.",
  OFFER_NOT_AVAILABLE: "This offer is not sold now.",
  RATE_LIMITED: "The card network is busy.",
};

/** @type {Record<string, string>} */
const CODES = {
  MERCHANT_NOT_ACTIVE: "The business is not active, so no gift card can be sold or redeemed.",
  FORBIDDEN: "This till may not do that. Ask the administrator.",
  INVALID_REQUEST: "The card network does not accept this.",
  OFFER_UNREADABLE: "This offer cannot be sold until it is corrected in the dashboard.",
  REFUND_TOO_LARGE: "More than is left of this redemption. Some of it has already been given back.",
  NO_SUCH_REDEMPTION: "There is no such redemption to give back.",
};

/** Why nothing was sent. @type {Record<"offline" | "journal" | "busy", string>} */
export const NOT_SENT = {
  offline: "The till has no connection. Nothing was sent.",
  journal: "This device could not save the call, so it was not sent. Free some storage, then try again.",
  busy: "The outcome of an earlier call is not known yet, so nothing was sent. See Today.",
};

/**
 * Why a money call was refused.
 *
 * @param {{status: number | null, error: import("/portal-api/errors.js").ApiError}} refusal
 */
export function refusalText({ status, error }) {
  const networkCode = property(error.details, "code");
  if (typeof networkCode === "string" && REFUSALS[networkCode]) return REFUSALS[networkCode];
  if (error.code && CODES[error.code]) return CODES[error.code];
  if (status === 429) return "Too many requests.";
  if (status === 401) return "This till is no longer paired.";
  return status !== null && status >= 500
    ? "The card network could not be reached. Try again."
    : "The card network refused it.";
}

/** What became of a card that was issued. @param {import("/portal-api/journal.js").Note} note */
export function issuedWord({ isCredit }) {
  return isCredit ? "store credit given" : "gift card sold";
}

/** @param {Failure} failure @param {string} text what was looked up */
export function cardFailureText({ status, details }, text) {
  if (status === 0) return "No connection. The card could not be looked up. Try again.";
  if (status === 404 || property(details, "code") === "CARD_NOT_FOUND")
    return otherThing(text) || "No such card. Scan it again.";
  if (status === 429) return "The card network is busy.";
  if (status === 504) return "The card network is slow, and has not answered. Nothing was changed. Try again.";
  if (status === 409) return "The card is in use elsewhere.";
  return "The card could not be looked up. Nothing was changed. Try again.";
}

/** @param {Failure} failure */
export function pairingFailureText({ status }) {
  if (status === 0) return "No connection. Try again.";
  if (status === 400) return "That code is wrong or has expired.";
  if (status === 429) return "Too many attempts.";
  return "The till could not be paired. Try again.";
}

/**
 * When to try again, for what is refused only now; null where waiting does not help.
 *
 * @param {{status: number | null, retryAfter: number | null}} failure
 * @param {number} at when it failed
 */
export function retryTime({ status, retryAfter }, at = Date.now()) {
  return status === 429 || status === 409 ? at + (retryAfter ?? DEFAULT_RETRY_AFTER) * 1000 : null;
}
