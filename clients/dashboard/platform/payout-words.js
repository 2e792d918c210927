// What is said about payouts: who is left out of a run and why, whether one can be paid, and its amount with its currency.

import { formatMinor } from "/kit/money.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */

/** Why, and what to do about it. @type {Record<Schemas["LeftOutReason"], [string, string]>} */
export const LEFT_OUT = {
  STATUS: ["It is neither active nor closed", "It waits until the merchant is active again."],
  IDENTITY_CHANGED: ["Its identity has changed", "Review the changes on its page."],
  OWN_MERCHANT: ["It is your own business", "Another administrator has to start the run."],
  ALL_HELD: ["All settlements are held back", "Release them on its page."],
  NOT_POSITIVE: ["The sum is zero or less", "It waits for further settlements."],
  UNREADABLE: ["It could not be read", "Ask the operator of the platform."],
  OTHER_KIND: ["Its mode does not pay these", "No action is needed."],
  ANOTHER_RUN: ["Another run is collecting them", "Check the payouts again in a moment."],
};

/** Whether money may be sent, as far as the payout says. @param {Schemas["Payout"]} payout */
export function isPayable({ status, merchantStatus }) {
  return status === "IN_BATCH" && (merchantStatus === "ACTIVE" || merchantStatus === "INACTIVE");
}

/** @param {{netAmountMinor: number | null, currency: string}} amount */
export function codedAmount({ netAmountMinor, currency }) {
  return netAmountMinor === null
    ? "More than can be added up here"
    : formatMinor(netAmountMinor, currency, { code: true });
}

/** Sums by currency, as text; those that are not known are left out. @param {readonly {netAmountMinor: number | null, currency: string}[]} amounts */
export function totals(amounts) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { currency, netAmountMinor } of amounts)
    if (netAmountMinor !== null) sums.set(currency, (sums.get(currency) ?? 0) + netAmountMinor);
  return [...sums].map(([currency, netAmountMinor]) => codedAmount({ currency, netAmountMinor }));
}
