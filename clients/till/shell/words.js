// Words for what failed: what happened, that nothing was changed, what to do.

import { otherKind } from "/kit/card-codes.js";
import { property } from "/portal-api/errors.js";
import { t } from "./text.js";

/** @typedef {import("../till.js").Failure} Failure */

const DEFAULT_RETRY_AFTER = 60; // seconds

/** Ids of messages by the card network's codes. @type {Record<string, string>} */
const REFUSALS = {
  CARD_NOT_FOUND: "refused-card-not-found",
  CARD_BLOCKED: "refused-card-blocked",
  CARD_EXPIRED: "refused-card-expired",
  INSUFFICIENT_FUNDS: "refused-insufficient-funds",
  INVALID_AMOUNT: "refused-invalid-amount",
  OFFER_NOT_FOUND: "refused-offer-not-found",
  OFFER_NOT_AVAILABLE: "refused-offer-not-available",
  RATE_LIMITED: "refused-rate-limited",
};

/** Ids of messages by the API's codes. @type {Record<string, string>} */
const CODES = {
  MERCHANT_NOT_ACTIVE: "refused-merchant-not-active",
  FORBIDDEN: "refused-forbidden",
  INVALID_REQUEST: "refused-invalid-request",
  OFFER_UNREADABLE: "refused-offer-unreadable",
  REFUND_TOO_LARGE: "refused-refund-too-large",
  NO_SUCH_REDEMPTION: "refused-no-such-redemption",
};

/** Why nothing was sent: ids of messages. @type {Record<"offline" | "journal" | "busy", string>} */
export const NOT_SENT = {
  offline: "not-sent-offline",
  journal: "not-sent-journal",
  busy: "not-sent-busy",
};

/** What was scanned in place of a card. */
const OTHER_THINGS = { nothing: "other-nothing", link: "other-link", product: "other-product" };

/**
 * Why a money call was refused.
 *
 * @param {{status: number | null, error: import("/portal-api/errors.js").ApiError}} refusal
 */
export function refusalText({ status, error }) {
  const networkCode = property(error.details, "code");
  if (typeof networkCode === "string" && REFUSALS[networkCode]) return t(REFUSALS[networkCode]);
  if (error.code && CODES[error.code]) return t(CODES[error.code]);
  if (status === 429) return t("refused-too-many-requests");
  if (status === 401) return t("refused-not-paired");
  return t(status !== null && status >= 500 ? "refused-unreachable" : "refused-by-network");
}

/** @param {Failure} failure @param {string} text what was looked up */
export function cardFailureText({ status, details }, text) {
  if (status === 0) return t("look-up-no-connection");
  if (status === 404 || property(details, "code") === "CARD_NOT_FOUND") {
    const kind = otherKind(text);
    return t(kind ? OTHER_THINGS[kind] : "refused-card-not-found");
  }
  if (status === 429) return t("refused-rate-limited");
  if (status === 504) return t("look-up-slow");
  if (status === 409) return t("look-up-in-use");
  return t("look-up-failed");
}

/** @param {Failure} failure */
export function pairingFailureText({ status }) {
  if (status === 0) return t("pairing-failed-connection");
  if (status === 400) return t("pairing-failed-code");
  if (status === 429) return t("pairing-failed-attempts");
  return t("pairing-failed");
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
