// What is owed to the business, as one sum and its parts: payable now, later, and in progress.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { icon } from "../shell/icons.js";
import { stat } from "../shell/parts.js";
import { store } from "../shell/store.js";

/** @typedef {import("./merchant-payouts.js").Outlook} Outlook */

/** @type {Record<NonNullable<Outlook["blocked"]>, string>} */
const BLOCKED = {
  STATUS: "They wait until your business is active again.",
  IDENTITY_CHANGED: "They wait until the platform has reviewed the changes of your business details.",
};

/** @param {readonly Outlook[]} outlook one for each currency */
export function outlookPanels(outlook) {
  const all = outlook.length > 0 ? outlook : [nothingOwed()];
  const blocked = all.find((one) => one.blocked)?.blocked;
  return html`${blocked ? stopped(blocked) : nothing}${all.map((one) => panel(one, all.length > 1))}`;
}

/** @param {Outlook} one @param {boolean} code where currencies are mixed */
function panel(one, code) {
  const { currency, payableMinor, laterMinor, nextEligibleAt, inProgressMinor, heldMinor, blocked } = one;
  /** @param {string} label @param {number} amount @param {unknown} note */
  const part = (label, amount, note) =>
    stat({ label, value: formatMinor(amount, currency, { code }), change: html`<span class="change">${note}</span>` });
  const next = nextEligibleAt ? `Next on ${formatDate(nextEligibleAt, store.timeZone)}` : "Nothing is waiting";
  return html`<dl class="stats panel outlook" aria-label=${`Owed to you in ${currency}`}>
    ${part("Owed to you", owedIn(one), blocked ? "Waits" : "Still to come")}
    ${part("Payable now", payableMinor, blocked ? "Waits" : "With the next run")}${part("Later", laterMinor, next)}
    ${part("In progress", inProgressMinor, "Being paid out")}
    ${heldMinor === 0 ? nothing : part("Not paid out", heldMinor, WHY_HELD)}
  </dl>`;
}

/** What will be paid out. @param {Outlook} outlook */
export const owedIn = ({ payableMinor, laterMinor, inProgressMinor }) => payableMinor + laterMinor + inProgressMinor;

const WHY_HELD = html`<span
  >Sold at your own till, or held back: <a href="/payouts?tab=settlements">each settlement says why</a></span
>`;

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

/** @param {NonNullable<Outlook["blocked"]>} blocked */
function stopped(blocked) {
  return html`<div class="notice warn">
    ${icon("warn")}
    <div>
      <b>Payouts are stopped.</b>
      <p>${BLOCKED[blocked]}</p>
    </div>
  </div>`;
}
