// Why a settlement is not paid out, as its merchant reads it.

/** @type {Record<import("../shell/store.js").Schemas["HeldBecause"], string>} */
export const HELD = {
  OWN_SALE: "You sold this card yourself: the money is in your till.",
  DISAGREEMENT: "It is not certain yet what was redeemed. The platform looks at it.",
  RESTORED: "It may have been paid before. The platform looks at it.",
  ADMINISTRATOR: "The platform holds it back. Ask there for the reason.",
};
