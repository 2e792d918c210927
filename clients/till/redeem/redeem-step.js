// The step of a card that was found: what is on it, the purchase total, and what is taken off.

import { html, nothing } from "/kit/vendor/lit.js";
import { cardFace } from "../cards/card-face.js";
import "./card-history.js";
import { money } from "../shell/formats.js";
import { keypad } from "../shell/keypad.js";
import { around, t } from "../shell/text.js";
import { amountClass, icon } from "../shell/view.js";

/** @typedef {import("../cards/card.js").Card} Card */

/** Why nothing can be taken off a card: ids of messages. */
const OBSTACLES = {
  expired: "redeem-expired",
  empty: "redeem-empty",
  blocked: "redeem-blocked",
  unknown: "redeem-unknown",
};

/**
 * @typedef {object} RedeemStep
 * @property {import("../till.js").Till | null} till
 * @property {Card} card
 * @property {number} total minor units
 * @property {number} fromCard minor units
 * @property {import("../shell/text.js").Message | null} note about what was typed
 * @property {keyof typeof OBSTACLES | null} obstacle
 * @property {(key: string, stroke: {at: number, isFast: boolean}) => void} onKey
 * @property {() => void} onWhole
 * @property {() => void} onRedeem
 * @property {() => void} onNext
 */

/** @param {RedeemStep} step */
export function redeemStep(step) {
  const { till, card, obstacle } = step;
  return html` <div class="screen ${obstacle ? "" : "amount"}">
    <h1 class="sr" tabindex="-1">${t("redeem-card-title", { card: card.ref })}</h1>
    <div class="stack what">
      ${cardFace(card, till?.pairing?.merchant, till?.offerNames.get(card.offerId))}
      ${
        obstacle
          ? html`<div class="notice ${card.problem ? "bad" : "warn"}" role="alert">
              ${icon("warning")}
              <p>${t(OBSTACLES[obstacle])}</p>
            </div>`
          : amounts(step)
      }
      <div class="choice">
        ${
          obstacle || card.balance === null
            ? nothing
            : html` <button type="button" class="button" aria-keyshortcuts="*" @click=${step.onWhole}>
                ${t("redeem-whole-card")}
              </button>`
        }
        <till-card-history .till=${till} .card=${card}></till-card-history>
      </div>
    </div>
    ${obstacle ? html`<div class="grow"></div>` : keypad(card.currency, step.onKey)}
    <div class="actions">
      ${
        obstacle
          ? html`<button type="button" class="button large primary" @click=${step.onNext}>
              ${t("next-customer")}
            </button>`
          : payButton(step)
      }
    </div>
  </div>`;
}

/** @param {RedeemStep} step */
function amounts({ card, total, fromCard, note }) {
  return html` <div class="total">
      <span id="total-label">${t("redeem-total")}</span>
      <output aria-labelledby="total-label" class=${amountClass(total)}>${amountOn(card, total)}</output>
      <span class="note said" role="status">${note ? t(...note) : ""}</span>
    </div>
    <dl class="split">
      <div>
        <dt>${t("redeem-from-card")}</dt>
        <dd>${amountOn(card, fromCard)}</dd>
      </div>
      <div>
        <dt>${t("redeem-left-to-pay")}</dt>
        <dd>${amountOn(card, total - fromCard)}</dd>
      </div>
    </dl>`;
}

/** @param {RedeemStep} step */
function payButton({ card, total, fromCard, onRedeem }) {
  return html` <button
    type="button"
    class="button large primary"
    data-pays
    aria-disabled=${total === 0}
    @click=${onRedeem}
  >
    ${total === 0 ? t("redeem-enter-total") : html`<span>${around("redeem-button", { amount: amountOn(card, fromCard) })}</span>`}
  </button>`;
}

/**
 * @param {Card} card
 * @param {number} amount minor units
 */
function amountOn({ currency }, amount) {
  return html`<bdi>${money(amount, currency)}</bdi>`;
}
