// The amounts of a money call.

import { html } from "/kit/vendor/lit.js";
import { money } from "../shell/formats.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */

/** @param {Entry} entry @param {"amount" | "total"} field */
export function amountOf({ note }, field) {
  return html`<bdi>${money(Number(note[field]), String(note.currency))}</bdi>`;
}

/** What a redemption leaves to pay; null for nothing, and for any other call. @param {Entry} entry */
export function restOf({ call, note, outcome }) {
  const amount = Number(note.total) - Number(note.amount);
  return call === "redeem" && outcome?.kind === "done" && amount > 0
    ? { amount, currency: String(note.currency) }
    : null;
}
