// Why a settlement is not paid out, as its merchant reads it.

/** @type {Record<import("../shell/store.js").Schemas["HeldBecause"], string>} */
export const HELD = {
  OWN_SALE: "You sold this card yourself, so you already have the money.",
  DISAGREEMENT: "It is not certain yet what was redeemed. The platform is looking into it.",
  RESTORED: "It may already have been paid. The platform is looking into it.",
  ADMINISTRATOR: "The platform is holding it back. Ask the platform for the reason.",
};
