// Why it is given back, and how the customer gets the credit.

import { html, nothing } from "/kit/vendor/lit.js";
import { deliveryPicker } from "../sell/delivery.js";
import { money } from "../shell/formats.js";
import { around, t } from "../shell/text.js";
import { cardRef } from "../shell/view.js";

/** What the order keeps, whatever the till speaks, and the ids of its messages. */
const REASONS = [
  { reason: "Goods returned", id: "give-back-returned" },
  { reason: "Wrong amount", id: "give-back-wrong-amount" },
  { reason: "Other", id: "give-back-other" },
];
export const OTHER = "Other";
const MAX_REASON = 200;

/** @typedef {import("../sell/delivery.js").Delivery} Delivery */

/**
 * @param {{currency: string, ref: string}} redemption
 * @param {{
 *   amount: number, reason: string, otherReason: string, delivery: Delivery, error: string,
 *   onReason: (reason: string) => void, onOther: (text: string) => void, onDelivery: (delivery: Delivery) => void, onGive: () => void,
 * }} step `amount`: minor units
 */
export function reasonStep({ currency, ref }, step) {
  const shown = html`<bdi>${money(step.amount, currency)}</bdi>`;
  return html`<div class="screen">
    <div class="stack grow">
      <h1 tabindex="-1">${t("give-back-why")}</h1>
      <p class="muted">${around("give-back-explained", { amount: shown, card: cardRef(ref) })}</p>
      <div class="choices words" role="group" aria-label=${t("give-back-reason")}>
        ${REASONS.map(
          ({ reason, id }) =>
            html`<button
              type="button"
              class="button"
              aria-pressed=${reason === step.reason}
              @click=${() => step.onReason(reason)}
            >
              ${t(id)}
            </button>`,
        )}
      </div>
      ${step.reason === OTHER ? otherField(step) : nothing}
      ${step.error ? html`<p class="error" role="alert">${step.error}</p>` : nothing}
      ${deliveryPicker(step.delivery, step.onDelivery)}
    </div>
    <div class="actions">
      <button type="button" class="button large primary" data-pays @click=${step.onGive}>
        <span>${around("give-back-button", { amount: shown })}</span>
      </button>
    </div>
  </div>`;
}

/** @param {{otherReason: string, onOther: (text: string) => void}} step */
function otherField({ otherReason, onOther }) {
  return html`<div class="field">
    <label for="reason">${t("give-back-reason")}</label>
    <input
      id="reason"
      class="input"
      maxlength=${MAX_REASON}
      autocomplete="off"
      data-no-scan
      .value=${otherReason}
      @input=${(/** @type {Event} */ { target }) => onOther(/** @type {HTMLInputElement} */ (target).value)}
    />
  </div>`;
}
