// What is owed to the business, in three parts: payable now, later, and in progress.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { icon } from "./icons.js";
import { stat } from "./parts.js";
import { store } from "./store.js";

/** @typedef {import("./merchant-payouts.js").Outlook} Outlook */

/** @type {Record<NonNullable<Outlook["blocked"]>, string>} */
const BLOCKED = {
  STATUS: "They wait until your business is active again.",
  IDENTITY_CHANGED: "They wait until the platform has reviewed the changes of your business details.",
};

/** @param {readonly Outlook[]} outlook one for each currency */
export function outlookPanels(outlook) {
  const all = outlook.length > 0 ? outlook : [nothingOwed()];
  return all.map(
    (one) =>
      html`${one.blocked ? notPaid(one.blocked) : nothing}
        <dl class="stats panel" aria-label=${`Owed to you in ${one.currency}`}>
          ${stat({ label: "Payable now", value: formatMinor(one.payableMinor, one.currency), change: note(one.blocked ? "Waits" : "With the next run") })}
          ${stat({ label: "Later", value: formatMinor(one.laterMinor, one.currency), change: note(later(one)) })}
          ${stat({ label: "In progress", value: formatMinor(one.inProgressMinor, one.currency), change: note("Being paid out") })}
          ${one.heldMinor === 0 ? nothing : stat({ label: "Held back", value: formatMinor(one.heldMinor, one.currency), change: note("The platform looks at it") })}
        </dl>`,
  );
}

/** @returns {Outlook} */
function nothingOwed() {
  const { currency } = store;
  return {
    currency,
    payableMinor: 0,
    laterMinor: 0,
    nextEligibleAt: null,
    inProgressMinor: 0,
    heldMinor: 0,
    blocked: null,
  };
}

/** @param {string} text */
const note = (text) => html`<span class="change">${text}</span>`;

/** @param {Outlook} outlook */
function later({ nextEligibleAt }) {
  return nextEligibleAt ? `Next on ${formatDate(nextEligibleAt, store.timeZone)}` : "Nothing is waiting";
}

/** @param {NonNullable<Outlook["blocked"]>} blocked */
function notPaid(blocked) {
  return html`<div class="notice warn">
    ${icon("warn")}
    <div>
      <b>Payouts are stopped.</b>
      <p>${BLOCKED[blocked]}</p>
    </div>
  </div>`;
}
