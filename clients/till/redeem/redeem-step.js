// The step of a card that was found: what is on it, the purchase total, and what is taken off.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { cardFace } from "../cards/card-face.js";
import "./card-history.js";
import { keypad } from "../shell/keypad.js";
import { amountClass, icon } from "../shell/view.js";

/** @typedef {import("../cards/card.js").Card} Card */

/** Why nothing can be taken off a card. */
const OBSTACLES = {
  expired: "This card has expired. Nothing can be taken off it.",
  empty: "This card is empty.",
  blocked: "This card is blocked. Nothing can be taken off it.",
  unknown:
    "The outcome of an earlier redemption is not known yet. Do not redeem this card again until it is: see Today.",
};

/**
 * @typedef {object} RedeemStep
 * @property {import("../till.js").Till | null} till
 * @property {Card} card
 * @property {number} total minor units
 * @property {number} fromCard minor units
 * @property {string} note about what was typed
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
    <h1 class="sr" tabindex="-1">Card ending in ${card.ref}</h1>
    <div class="stack what">
      ${cardFace(card, till?.pairing?.merchant, till?.offerNames.get(card.offerId))}
      ${
        obstacle
          ? html`<div class="notice ${card.problem ? "bad" : "warn"}" role="alert">
              ${icon("warning")}
              <p>${OBSTACLES[obstacle]}</p>
            </div>`
          : amounts(step)
      }
      <div class="choice">
        ${
          obstacle || card.balance === null
            ? nothing
            : html` <button type="button" class="button" aria-keyshortcuts="*" @click=${step.onWhole}>
                Use the whole card
              </button>`
        }
        <till-card-history .till=${till} .card=${card}></till-card-history>
      </div>
    </div>
    ${obstacle ? html`<div class="grow"></div>` : keypad(card.currency, step.onKey)}
    <div class="actions">
      ${
        obstacle
          ? html`<button type="button" class="button large primary" @click=${step.onNext}>Next customer</button>`
          : payButton(step)
      }
    </div>
  </div>`;
}

/** @param {RedeemStep} step */
function amounts({ card, total, fromCard, note }) {
  return html` <div class="total">
      <span id="total-label">Purchase total</span>
      <output aria-labelledby="total-label" class=${amountClass(total)}>${money(total, card)}</output>
      <span class="note said" role="status">${note}</span>
    </div>
    <dl class="split">
      <div>
        <dt>From the card</dt>
        <dd>${money(fromCard, card)}</dd>
      </div>
      <div>
        <dt>Left to pay</dt>
        <dd>${money(total - fromCard, card)}</dd>
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
    ${total === 0 ? "Enter the purchase total" : html`<span>Redeem ${money(fromCard, card)}</span>`}
  </button>`;
}

/**
 * @param {number} minor
 * @param {Card} card
 */
function money(minor, { currency }) {
  return html`<bdi>${formatMinor(minor, currency)}</bdi>`;
}
