// Decisions about a merchant: which status may follow which, what that stops, and how it is asked.

import { html } from "/kit/vendor/lit.js";
import { actionDialog } from "./action-dialog.js";
import { maxLength } from "./bounds.js";
import { field } from "./forms.js";

/** @typedef {import("./store.js").Schemas} Schemas */
/** @typedef {Schemas["AdministeredMerchant"]} Merchant */
/** @typedef {Omit<Schemas["AdministeredMerchantChange"], "reason">} Changes */
/** @typedef {(changes: Changes, reason: string) => Promise<unknown>} Save */

/**
 * @typedef {object} Decision
 * @property {Schemas["MerchantStatus"]} status
 * @property {string} verb
 * @property {boolean} [isFinal]
 * @property {import("./action-dialog.js").Consequences} [consequences]
 */

/** @type {Decision} */
const ASK = { status: "WAITING_FOR_INFO", verb: "Ask for information" };

/** @type {Decision} */
const SUSPEND = {
  status: "SUSPENDED",
  verb: "Suspend",
  consequences: {
    stops: ["The shop is closed.", "Tills sell and redeem nothing.", "Payouts wait."],
    goesOn: [
      "Members sign in and see their figures.",
      "Cards keep their value.",
      "You can lift the suspension at any time.",
    ],
  },
};

/** @type {Decision} */
const CLOSE = {
  status: "INACTIVE",
  verb: "Close for good",
  isFinal: true,
  consequences: {
    stops: [
      "The shop is closed.",
      "Tills sell and redeem nothing, so that cards that were sold lose their use.",
      "Nobody can be invited.",
      "It cannot be opened again.",
    ],
    goesOn: ["What is owed is still paid out.", "Members sign in and see earlier figures."],
  },
};

/** @type {Partial<Record<Schemas["MerchantStatus"], Decision[]>>} */
const NEXT = {
  DECISION_PENDING: [
    { status: "ACTIVE", verb: "Approve" },
    ASK,
    {
      status: "DECLINED",
      verb: "Decline",
      consequences: {
        stops: ["The business sells nothing."],
        goesOn: ["Members sign in and see the decision.", "You can ask for information and decide again."],
      },
    },
  ],
  ACTIVE: [SUSPEND, CLOSE],
  SUSPENDED: [{ status: "ACTIVE", verb: "Lift the suspension" }, CLOSE],
  DECLINED: [ASK],
};

/** @param {Merchant} merchant @param {(decision: Decision) => void} choose */
export function decisionButtons({ status }, choose) {
  return (NEXT[status] ?? []).map((decision) => {
    const look = decision.isFinal ? "danger" : decision.verb === "Approve" ? "primary" : "";
    return html`<button class="button ${look}" type="button" @click=${() => choose(decision)}>
      ${decision.verb}
    </button>`;
  });
}

/**
 * Asks for the reason of a decision, and saves it.
 * @param {Merchant} merchant
 * @param {Decision} decision
 * @param {{open: readonly string[], save: Save}} review what is open before an approval
 */
export function decide({ name }, { status, verb, isFinal = false, consequences }, { open, save }) {
  return actionDialog({
    title: `${verb}: ${name}`,
    verb,
    danger: isFinal,
    failed: "Nothing was changed.",
    done: "The merchant was changed.",
    intro: verb === "Approve" ? approval(open) : undefined,
    consequences,
    typed: isFinal ? name : undefined,
    fields: reasonField,
    check: checkReason,
    act: ({ reason = "" }) => save({ status }, reason),
  });
}

/** @param {readonly string[]} open */
function approval(open) {
  if (open.length === 0) return html`<p>Everything on the checklist is done.</p>`;
  return html`<div class="notice warn">
    <div>
      <b>Still open</b>
      <ul>
        ${open.map((text) => html`<li>${text}</li>`)}
      </ul>
    </div>
  </div>`;
}

/** @param {Record<string, string>} errors */
export function reasonField(errors) {
  return field({
    name: "reason",
    label: "Reason",
    rows: 2,
    maxlength: maxLength.changeMerchant.reason,
    hint: "It stays in the history. The merchant does not see it.",
    error: errors.reason,
  });
}

/** @param {Record<string, string>} values @returns {Record<string, string>} */
export function checkReason({ reason }) {
  return reason ? {} : { reason: "Enter the reason." };
}
