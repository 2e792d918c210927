// Sell: choose an offer of the merchant's public catalogue and an amount, take the payment, issue the card. Store credit
// stands apart: it is given, and nothing is paid for it.

import { html, nothing } from "/kit/vendor/lit.js";
import { offerFace } from "../cards/card-face.js";
import { ON_SCREEN, deliveryPicker } from "./delivery.js";
import { keypad, newEntry } from "../shell/keypad.js";
import { findOffers } from "../cards/look-ups.js";
import { offerList } from "./offer-list.js";
import { isFixed, isWithin, rangeOf, shortPrice } from "./offer-prices.js";
import { STORE_CREDIT } from "../cards/store-credit.js";
import { money } from "../shell/formats.js";
import { around, t } from "../shell/text.js";
import { View, amountClass } from "../shell/view.js";

/** @typedef {import("../till.js").Offer} Offer */

/** For this long after an offer was chosen, nothing is sold: the second press of a double one was meant for the offer. */
const HOLD = 500; // milliseconds

class SellView extends View {
  static properties = {
    till: { attribute: false },
    catalog: { state: true },
    hasFailed: { state: true },
    offer: { state: true },
    delivery: { state: true },
    error: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
    /** @type {import("../cards/look-ups.js").Catalog | null} */
    this.catalog = null;
    this.hasFailed = false;
    /** @type {Offer | null} */
    this.offer = null;
    /** @type {import("../shell/amount-entry.js").AmountEntry | null} */
    this.entry = null;
    /** @type {import("./delivery.js").Delivery} */
    this.delivery = ON_SCREEN;
    this.error = "";
    /** By the clock that nobody sets. */
    this.heldUntil = 0;
  }

  firstUpdated() {
    void this.load();
  }

  get isAtStart() {
    return this.offer === null;
  }

  /** Whether something would be lost if a scanned card took its place. */
  get isEngaged() {
    return this.offer !== null;
  }

  get #isHeld() {
    return performance.now() < this.heldUntil;
  }

  get amount() {
    return this.entry?.amount ?? 0;
  }

  reset() {
    this.offer = null;
    this.entry = null;
    this.delivery = ON_SCREEN;
    this.error = "";
    this.#stepped();
    void this.load();
  }

  back() {
    this.reset();
    void this.focusHeading();
  }

  /**
   * @param {string} key
   * @param {{at: number, isFast: boolean}} stroke
   */
  press(key, stroke) {
    if (!this.offer || !this.entry) return;
    if (key !== "Enter") {
      if (!isFixed(this.offer)) this.entry.press(key, stroke);
      this.error = "";
    } else if (this.amount === 0 || this.entry.mayPay(stroke)) {
      void this.#sell();
    }
    this.requestUpdate();
  }

  /** @param {number} count keys that were a scanner's */
  undo(count) {
    this.entry?.undo(count);
    this.requestUpdate();
  }

  /** Old offers stay while new ones are on their way. */
  async load() {
    if (!this.till?.pairing) return;
    await this.till.load();
    this.hasFailed = false;
    const { catalog } = await findOffers(this.till);
    if (catalog) this.catalog = catalog;
    else this.hasFailed = true;
  }

  render() {
    return this.offer ? this.#amountStep(this.offer) : this.#offers();
  }

  #offers() {
    const { catalog, hasFailed, till } = this;
    return offerList({
      catalog,
      hasFailed,
      merchant: till?.pairing?.merchant,
      choose: (offer) => this.#choose(offer),
      again: () => this.load(),
    });
  }

  /** @param {Offer} offer */
  #amountStep(offer) {
    const { currency } = offer;
    const fixed = isFixed(offer);
    const isCredit = offer.type === STORE_CREDIT;
    const advice = fixed ? t(isCredit ? "sell-credit-free" : "sell-pay-first") : rangeOf(offer);
    const note = this.error || (this.entry?.note && t(...this.entry.note));
    return html` <div class="screen ${fixed ? "" : "amount"}">
      <div class="stack what">
        ${offerFace(offer.name, this.till?.pairing?.merchant)}
        <div class="total">
          <span id="sale-label">${t(isCredit ? "sell-credit-for-customer" : "sell-to-be-paid")}</span>
          <output aria-labelledby="sale-label" class=${amountClass(this.amount)}>
            <bdi>${money(this.amount, currency)}</bdi></output
          >
          <span class="note ${this.error ? "error" : note ? "said" : ""}" role=${this.error ? "alert" : "status"}
            >${note || advice}</span
          >
        </div>
        ${fixed || offer.priceOptions.length === 0 ? nothing : this.#choices(offer)}
        ${deliveryPicker(this.delivery, (delivery) => (this.delivery = delivery))}
      </div>
      ${fixed ? html`<div class="grow"></div>` : keypad(currency, (key, stroke) => this.press(key, stroke))}
      <div class="actions">
        <button
          type="button"
          class="button large primary ${this.amount > 0 && this.#isHeld ? "held" : ""}"
          data-pays
          aria-disabled=${this.amount === 0 || this.#isHeld}
          @click=${this.#sell}
        >
          ${
            this.amount === 0
              ? t("enter-amount")
              : html`<span
                  >${around(isCredit ? "sell-give-button" : "sell-issue-button", { amount: html`<bdi>${money(this.amount, currency)}</bdi>` })}</span
                >`
          }
        </button>
      </div>
    </div>`;
  }

  /** @param {Offer} offer */
  #choices({ priceOptions, currency }) {
    return html` <div class="choices" role="group" aria-label=${t("sell-amounts")}>
      ${priceOptions.map(
        (option) =>
          html` <button
            type="button"
            class="button"
            aria-pressed=${option === this.amount}
            @click=${() => this.#suggest(option)}
          >
            <bdi>${shortPrice(option, currency)}</bdi>
          </button>`,
      )}
    </div>`;
  }

  /** @param {Offer} offer */
  #choose(offer) {
    const isCredit = offer.type === STORE_CREDIT;
    // The popular amount is one of the merchant's currency.
    const hasPopular = offer.currency === this.till?.pairing?.merchant.currency && !isCredit;
    const popular = hasPopular ? (this.catalog?.popular ?? null) : null;
    const usual = isCredit && !isFixed(offer) ? 0 : (offer.priceOptions[0] ?? offer.minValue ?? 0);
    this.offer = offer;
    this.entry = newEntry(offer.currency, popular !== null && isWithin(popular, offer) ? popular : usual);
    this.error = "";
    this.heldUntil = performance.now() + HOLD;
    setTimeout(() => this.requestUpdate(), HOLD);
    // It has to be here when the answer is.
    void import("./sold-card-view.js");
    this.#stepped();
    void this.focusHeading();
  }

  /** @param {number} amount */
  #suggest(amount) {
    this.entry?.choose(amount, performance.now());
    this.error = "";
    this.requestUpdate();
  }

  async #sell() {
    const { offer, amount, till } = this;
    if (!offer || !till) return;
    if (!isWithin(amount, offer)) {
      this.error = rangeOf(offer);
      return;
    }
    if (this.#isHeld) return;
    const outcome = await till.sell(offer, amount, this.delivery);
    if (outcome) this.dispatchEvent(new CustomEvent("outcome", { detail: outcome, bubbles: true }));
  }

  #stepped() {
    this.dispatchEvent(new Event("step", { bubbles: true }));
  }
}

customElements.define("till-sell", SellView);
export { SellView };
