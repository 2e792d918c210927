// A gift card as the card network describes it. Any field can be missing.

import { toMinor } from "/kit/decimals.js";
import { property } from "/portal-api/errors.js";

/**
 * @typedef {object} Card
 * @property {string} code as the card network has it
 * @property {string} ref the end of the code, safe to show
 * @property {string | null} offerId
 * @property {string} currency
 * @property {number | null} balance in minor units; null: the network does not say
 * @property {string | null} expiresAt
 * @property {"expired" | "empty" | "blocked" | null} problem why it cannot be redeemed
 */

/**
 * @param {unknown} record
 * @param {string} asked the code by which it was found
 * @param {string} merchantCurrency
 * @returns {Card}
 */
export function readCard(record, asked, merchantCurrency) {
  const text = (/** @type {string} */ name) => {
    const value = property(record, name);
    return typeof value === "string" && value ? value : null;
  };
  const code = text("qrCode") ?? asked;
  const currency = text("currency") ?? merchantCurrency;
  const remains = property(record, "valueRemains");
  const balance = typeof remains === "number" || typeof remains === "string" ? toMinor(remains, currency) : null;
  const expiresAt = text("expiresAt");
  const offer = property(record, "giftCardOfferId");
  const offerId = typeof offer === "number" || typeof offer === "string" ? String(offer) : null;
  const problem = problemOf(text("status"), expiresAt, balance);
  return { code, ref: refOf(code), offerId, currency, balance, expiresAt, problem };
}

/**
 * @param {string | null} status
 * @param {string | null} expiresAt
 * @param {number | null} balance
 * @returns {Card["problem"]}
 */
function problemOf(status, expiresAt, balance) {
  if (balance !== null && balance <= 0) return "empty";
  // An expired card can still be called active.
  if (status === "EXPIRED" || (expiresAt !== null && Date.parse(expiresAt) <= Date.now())) return "expired";
  return status !== null && status !== "ACTIVE" ? "blocked" : null;
}

/**
 * The last four letters and digits of a code.
 *
 * @param {string} code
 */
export function refOf(code) {
  return code.replaceAll(/[^\p{L}\p{N}]/gu, "").slice(-4);
}
