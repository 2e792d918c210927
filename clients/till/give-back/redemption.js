// A redemption that can be given back, from the till's journal or from a card's history.

import { property } from "/portal-api/errors.js";

/** @typedef {import("../till.js").Till} Till */
/** @typedef {import("/portal-api/journal.js").Entry} Entry */

/**
 * @typedef {object} Redemption
 * @property {string} redemptionId
 * @property {string} ref the end of the card's code
 * @property {string | null} code of the card, to ask for what was given back elsewhere
 * @property {string} currency
 * @property {number} amount that was redeemed, minor units
 * @property {number} given back already, as far as is known
 */

/**
 * @param {Till} till
 * @param {Redemption} redemption
 */
export function startGivingBack(till, redemption) {
  till.givingBack = redemption;
  till.dispatchEvent(new Event("change"));
}

/**
 * What this till has given back for a redemption. What is not known yet counts.
 *
 * @param {Entry[]} entries
 * @param {string} redemptionId
 */
export function givenBack(entries, redemptionId) {
  const counts = entries.filter(
    ({ note, outcome }) => note.refundOf === redemptionId && (!outcome || outcome.kind === "done"),
  );
  return counts.reduce((sum, { note }) => sum + Number(note.amount), 0);
}

/**
 * What a redemption of today can give back; null for anything else.
 *
 * @param {Entry} entry
 * @returns {Redemption | null}
 */
export function redemptionOf({ note, outcome }) {
  if (outcome?.kind !== "done" || outcome.call !== "redeem" || outcome.result === null) return null;
  const { redemptionId, data } = outcome.result;
  const code = property(data, "qrCode");
  return {
    redemptionId,
    ref: String(note.ref),
    code: typeof code === "string" ? code : null,
    currency: String(note.currency),
    amount: Number(note.amount),
    given: 0,
  };
}
