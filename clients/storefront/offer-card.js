// One offer: the drawn card, its name, and the amounts to choose from.

import { html, LitElement, nothing } from "/kit/vendor/lit.js";
import { exponentOf, formatMinor } from "/kit/money.js";

/** @typedef {import("/portal-api/index.js").Schemas["CatalogItem"]} Offer */

class OfferCard extends LitElement {
  static properties = {
    offer: { attribute: false }, merchantName: { attribute: false }, homeUrl: { attribute: false }, popularAmount: { attribute: false },
    amount: { state: true }, hasImage: { state: true },
  };

  constructor() {
    super();
    /** @type {Offer | null} */
    this.offer = null;
    this.merchantName = "";
    /** @type {string | null} */
    this.homeUrl = null;
    /** @type {number | null} minor units, as all amounts here */
    this.popularAmount = null;
    /** @type {number | null} */
    this.amount = null;
    this.hasImage = false;
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("offer") && this.offer) this.amount = firstChoice(this.offer.priceOptions, this.popularAmount);
  }

  render() {
    const { offer } = this;
    if (!offer) return nothing;
    return html`
      <div class="art" aria-hidden="true">
        <b dir="auto">${this.merchantName}</b>
        <span>Gift card<bdi>${this.amount === null ? "" : price(this.amount, offer.currency)}</bdi></span>
        ${offer.imageUrl ? html`<img src=${offer.imageUrl} alt="" ?hidden=${!this.hasImage} @load=${() => (this.hasImage = true)}>` : nothing}
      </div>
      <h3 dir="auto">${offer.name}</h3>
      ${offer.description ? html`<p class="muted" dir="auto">${offer.description}</p>` : nothing}
      ${offer.priceOptions.length > 1 ? this.renderAmounts(offer) : this.renderPrice(offer)}
      ${this.homeUrl
        ? html`<a class="button" href=${this.homeUrl}>Buy in the shop<span class="sr"> (${offer.name})</span></a>`
        : html`<p class="faint">Sold in the shop</p>`}`;
  }

  /** @param {Offer} offer */
  renderAmounts(offer) {
    return html`<fieldset>
      <legend class="sr">Amount of ${offer.name}</legend>
      ${offer.priceOptions.map((amount) => html`<label>
        <input type="radio" name="amount-${offer.id}" .checked=${amount === this.amount} @change=${() => (this.amount = amount)}>
        <bdi>${price(amount, offer.currency)}</bdi>
      </label>`)}
    </fieldset>`;
  }

  /** A fixed price stands on the drawn card already, for all but screen readers.
   * @param {Offer} offer */
  renderPrice(offer) {
    const isDrawn = offer.minValue !== null && offer.minValue === offer.maxValue && !this.hasImage;
    return html`<p class="price ${isDrawn ? "sr" : ""}"><bdi>${priceRange(offer)}</bdi></p>`;
  }
}

/** The popular amount if it can be bought, else one in the middle.
 * @param {number[]} amounts @param {number | null} popular */
function firstChoice(amounts, popular) {
  if (popular !== null && amounts.includes(popular)) return popular;
  return amounts[(amounts.length - 1) >> 1] ?? null;
}

/** A bound that is null is not set.
 * @param {Offer} offer */
function priceRange({ minValue, maxValue, currency }) {
  const [min, max] = [minValue, maxValue].map((bound) => bound !== null && price(bound, currency));
  if (min && max) return min === max ? min : `${min} to ${max}`;
  if (min) return `${min} or more`;
  return max ? `Up to ${max}` : "Any amount";
}

/** A price without decimals where they are zero.
 * @param {number} amount @param {string} currency */
function price(amount, currency) {
  return formatMinor(amount, currency, { whole: amount % 10 ** exponentOf(currency) === 0 });
}

customElements.define("x-offer-card", OfferCard);
