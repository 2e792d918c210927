// Offers of store credit, as the till's other offers are: in minor units.

import { toMinor } from "/kit/decimals.js";
import { property } from "/portal-api/errors.js";

/** @typedef {import("../till.js").Offer} Offer */

export const STORE_CREDIT = "REFUND_DIGITAL";

/**
 * @param {readonly Omit<import("/portal-api/index.js").Schemas["Offer"], "raw">[]} offers what the merchant's tills can issue now
 * @returns {Offer[]}
 */
export function readCredit(offers) {
  return offers
    .filter((offer) => property(offer, "type") === STORE_CREDIT)
    .map((offer) => {
      const { id, name, description, currency, denominations, defaultPrice, priceLocked } = offer;
      const minor = (/** @type {number | null} */ price) => (price ? toMinor(price, currency) : null);
      const [min, max, fixed] = [minor(offer.min), minor(offer.max), minor(defaultPrice)];
      const options = denominations.map(minor).filter((price) => price !== null);
      const isFixed = fixed !== null && (priceLocked || (min === null && max === null && options.length === 0));
      return {
        id,
        merchantId: "",
        name,
        description,
        type: STORE_CREDIT,
        currency,
        imageUrl: null,
        minValue: isFixed ? fixed : min,
        maxValue: isFixed ? fixed : max,
        priceOptions: isFixed ? [] : options,
      };
    });
}
