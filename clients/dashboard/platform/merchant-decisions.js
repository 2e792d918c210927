// Decisions about a merchant: which status may follow which, what that stops, and how it is asked.

import { html } from "/kit/vendor/lit.js";
import { askWithReason } from "../forms/reason-dialog.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["AdministeredMerchant"]} Merchant */
/** @typedef {Omit<Schemas["AdministeredMerchantChange"], "reason">} Changes */
/** @typedef {(changes: Changes, reason: string) => Promise<unknown>} Save */

/**
 * @typedef {object} Decision
 * @property {Schemas["MerchantStatus"]} status
 * @property {string} verb
 * @property {boolean} [isFinal]
 * @property {{stops: readonly string[], goesOn: readonly string[]}} [consequences]
 */

/** @type {Decision} */
const ASK = { status: "WAITING_FOR_INFO", verb: "Ask for information" };

/** @type {Decision} */
const SUSPEND = {
  status: "SUSPENDED",
  verb: "Suspend",
  consequences: {
    stops: ["The shop is closed.", "Tills cannot sell or redeem.", "Payouts wait."],
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
      "Tills cannot sell or redeem, so existing cards can no longer be redeemed.",
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
        stops: ["The business cannot sell."],
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
  return askWithReason({
    title: `${verb}: ${name}`,
    verb,
    tone: isFinal ? "final" : "primary",
    failed: "Nothing was changed.",
    done: "The merchant was changed.",
    intro: verb === "Approve" ? approval(open) : undefined,
    effects: consequences && effectsOf(consequences),
    nameToType: isFinal ? name : undefined,
    act: (_, reason) => save({ status }, reason),
  });
}

/** @param {NonNullable<Decision["consequences"]>} consequences */
function effectsOf({ stops, goesOn }) {
  return [
    { title: "What stops", items: stops },
    { title: "What goes on", items: goesOn },
  ];
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
