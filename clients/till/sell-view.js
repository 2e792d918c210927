// Sell: choose an offer of the merchant's public catalogue and an amount, take the payment, issue the card.

import { html, nothing } from "/kit/vendor/lit.js";
import { exponentOf, formatMinor } from "/kit/money.js";
import { cardThumbnail, offerFace } from "./card-face.js";
import { keypad, pressKey } from "./keypad.js";
import { View, amountClass } from "./view.js";

/** @typedef {import("./till.js").Offer} Offer */

class SellView extends View {
  static properties = {
    till: { attribute: false }, catalog: { state: true }, hasFailed: { state: true }, offer: { state: true }, amount: { state: true },
    error: { state: true },
  };

  constructor() {
    super();
    /** @type {import("./till.js").Till | null} */
    this.till = null;
    /** @type {import("./till.js").Catalog | null} */
    this.catalog = null;
    this.hasFailed = false;
    /** @type {Offer | null} */
    this.offer = null;
    this.amount = 0;
    /** The amount was chosen for the cashier: the first digit replaces it. */
    this.isPreset = false;
    this.error = "";
  }

  firstUpdated() {
    void this.load();
  }

  get isAtStart() {
    return this.offer === null;
  }

  reset() {
    this.offer = null;
    this.error = "";
    this.#stepped();
    void this.load();
  }

  back() {
    this.reset();
    void this.focusHeading();
  }

  /** @param {string} key */
  press(key) {
    if (!this.offer) return;
    if (key === "Enter") return void this.#sell();
    if (isFixed(this.offer)) return;
    this.amount = pressKey(this.isPreset && key !== "Backspace" ? 0 : this.amount, key);
    this.isPreset = false;
    this.error = "";
  }

  /** Old offers stay while new ones are on their way. */
  async load() {
    if (!this.till?.pairing) return;
    this.hasFailed = false;
    const { catalog } = await this.till.findOffers();
    if (catalog) this.catalog = catalog;
    else this.hasFailed = true;
  }

  render() {
    return this.offer ? this.#amountStep(this.offer) : this.#offers();
  }

  #offers() {
    return html`
      <div class="screen">
        <div class="stack grow">
          <h1 tabindex="-1">Sell a gift card</h1>
          ${this.catalog ? this.#list(this.catalog.offers) : this.hasFailed ? nothing : skeleton}
          ${this.hasFailed
            ? html`<div class="notice bad" role="alert"><p>The gift cards could not be loaded. Nothing was changed.</p>
                <button type="button" class="button" @click=${this.load}>Try again</button></div>`
            : nothing}
        </div>
      </div>`;
  }

  /** @param {Offer[]} offers */
  #list(offers) {
    if (offers.length === 0) {
      return html`<div class="empty"><b>No gift card is sold now</b><p>Offers that are available in the dashboard appear here.</p></div>`;
    }
    return html`<ul class="offers">${offers.map((offer) => html`
      <li><button type="button" class="panel offer" @click=${() => this.#choose(offer)}>
        ${cardThumbnail(this.till?.pairing?.merchant)}
        <b dir="auto">${offer.name}</b>
        <span class="price"><bdi>${priceOf(offer)}</bdi></span>
        ${offer.description ? html`<span class="muted" dir="auto">${offer.description}</span>` : nothing}
      </button></li>`)}</ul>`;
  }

  /** @param {Offer} offer */
  #amountStep(offer) {
    const { currency } = offer;
    const fixed = isFixed(offer);
    return html`
      <div class="screen ${fixed ? "" : "amount"}">
        <div class="stack what">
          ${offerFace(offer.name, this.till?.pairing?.merchant)}
          <div class="total">
            <span id="sale-label">To be paid by the customer</span>
            <output aria-labelledby="sale-label" class=${amountClass(this.amount)}><bdi>${formatMinor(this.amount, currency)}</bdi></output>
          </div>
          ${fixed || offer.priceOptions.length === 0 ? nothing : html`
            <div class="choices" role="group" aria-label="Amounts">${offer.priceOptions.map((option) => html`
              <button type="button" class="button" aria-pressed=${option === this.amount ? "true" : "false"} @click=${() => this.#preset(option)}>
                <bdi>${shortPrice(option, currency)}</bdi></button>`)}
            </div>`}
          <p class="center ${this.error ? "error" : "muted"}" role=${this.error ? "alert" : nothing}>${this.error || (fixed ? "Take the payment first, then issue the card." : rangeOf(offer))}</p>
        </div>
        ${fixed ? html`<div class="grow"></div>` : keypad(currency, (key) => this.press(key))}
        <div class="actions">
          <button type="button" class="button large primary" aria-disabled=${this.amount === 0 ? "true" : "false"} @click=${this.#sell}>
            ${this.amount === 0 ? "Enter the amount" : html`<span>Paid, issue <bdi>${formatMinor(this.amount, currency)}</bdi></span>`}</button>
        </div>
      </div>`;
  }

  /** @param {Offer} offer */
  #choose(offer) {
    // The popular amount is one of the merchant's currency.
    const popular = offer.currency === this.till?.pairing?.merchant.currency ? (this.catalog?.popular ?? null) : null;
    this.offer = offer;
    this.#preset(popular !== null && isWithin(popular, offer) ? popular : (offer.priceOptions[0] ?? offer.minValue ?? 0));
    this.#stepped();
    void this.focusHeading();
  }

  /** @param {number} amount */
  #preset(amount) {
    this.amount = amount;
    this.isPreset = true;
    this.error = "";
  }

  async #sell() {
    const { offer, amount, till } = this;
    if (!offer || !till || till.moving) return;
    if (!isWithin(amount, offer)) {
      this.error = rangeOf(offer);
      return;
    }
    const outcome = await till.sell(offer, amount);
    this.dispatchEvent(new CustomEvent("outcome", { detail: outcome, bubbles: true }));
  }

  #stepped() {
    this.dispatchEvent(new Event("step", { bubbles: true }));
  }
}

const skeleton = html`<div class="offers" role="status" aria-label="Loading gift cards">${[1, 2, 3].map(() => html`<div class="skeleton offer"></div>`)}</div>`;

/** @param {Offer} offer */
function isFixed({ minValue, maxValue }) {
  return minValue !== null && minValue === maxValue;
}

/**
 * @param {number} amount
 * @param {Offer} offer a bound that is null is not known: the card network decides
 */
function isWithin(amount, { minValue, maxValue }) {
  return amount > 0 && amount >= (minValue ?? 0) && amount <= (maxValue ?? Infinity);
}

/** @param {Offer} offer */
function priceOf(offer) {
  const { minValue, maxValue, currency } = offer;
  const [min, max] = [minValue, maxValue].map((value) => value !== null && shortPrice(value, currency));
  if (isFixed(offer)) return min;
  if (min && max) return `${min} to ${max}`;
  return min ? `${min} or more` : max ? `Up to ${max}` : "Any amount";
}

/**
 * Without decimals where there are none.
 *
 * @param {number} amount
 * @param {string} currency
 */
function shortPrice(amount, currency) {
  return formatMinor(amount, currency, { whole: amount % 10 ** exponentOf(currency) === 0 });
}

/** @param {Offer} offer */
function rangeOf(offer) {
  if (offer.minValue === null && offer.maxValue === null) return "Enter an amount.";
  return offer.minValue === null ? `Enter at most ${shortPrice(Number(offer.maxValue), offer.currency)}.` : `Enter ${priceOf(offer)}.`;
}

customElements.define("till-sell", SellView);
export { SellView };
