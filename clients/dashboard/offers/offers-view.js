// What is shown of an offer, in the list and in the editor.

import { html } from "/kit/vendor/lit.js";
import { formatUnits } from "/kit/decimals.js";
import { property } from "/portal-api/errors.js";

/** @typedef {import("../shell/store.js").Schemas["Offer"]} Offer */

/** The address of the offer's image: the network keeps it in its design. @param {Offer} offer @returns {string | null} */
export function imageOf(offer) {
  const designs = property(offer.raw, "giftCardDesign");
  const first = Array.isArray(designs) ? designs[0] : null;
  for (const value of [
    property(first, "urlImage"),
    property(first, "urlResource"),
    property(offer.raw, "urlGiftcardResource"),
  ]) {
    if (typeof value === "string" && /^https?:/.test(value)) return value;
  }
  return null;
}

/** @param {Pick<Offer, "defaultPrice" | "denominations" | "min" | "max" | "priceLocked">} offer @returns {"fixed" | "amounts" | "range"} */
export function priceKind(offer) {
  if (offer.denominations.length > 0) return "amounts";
  return offer.priceLocked || (offer.defaultPrice !== null && offer.min === null) ? "fixed" : "range";
}

/** @param {Pick<Offer, "defaultPrice" | "denominations" | "min" | "max" | "priceLocked" | "currency">} offer */
export function priceText(offer) {
  /** @param {number} value */
  const amount = (value) => html`<bdi>${formatUnits(value, offer.currency)}</bdi>`;
  switch (priceKind(offer)) {
    case "fixed":
      return offer.defaultPrice === null ? "No price yet" : amount(offer.defaultPrice);
    case "amounts":
      return firstAmounts(offer.denominations.map(amount));
    default:
      return offer.min !== null && offer.max !== null
        ? html`${amount(offer.min)} to ${amount(offer.max)}`
        : offer.min !== null
          ? html`From ${amount(offer.min)}`
          : offer.max !== null
            ? html`Up to ${amount(offer.max)}`
            : "Any amount";
  }
}

/** @param {unknown[]} amounts */
function firstAmounts(amounts) {
  const shown = amounts.slice(0, 3).map((amount, i) => html`${i ? " · " : ""}${amount}`);
  return html`${shown}${amounts.length > 3 ? " …" : ""}`;
}
