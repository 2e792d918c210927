// A gift card, drawn in the colours of the merchant.

import { html } from "/kit/vendor/lit.js";
import { parseColor, shade, textOn } from "/kit/brand.js";
import { formatMinor } from "/kit/money.js";
import { cardRef, cssVariables } from "./view.js";

/**
 * @param {import("./card.js").Card} card
 * @param {import("./storage.js").Pairing["merchant"] | undefined} merchant
 */
export function cardFace(card, merchant) {
  const color = parseColor(merchant?.primaryColor) ?? "#1b3a4b";
  const colors = {
    "--card": color,
    "--card-end": shade(color),
    "--card-text": textOn(color),
    "--card-ring": parseColor(merchant?.secondaryColor) ?? shade(color),
  };
  const date = card.expiresAt && new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }).format(new Date(card.expiresAt));
  return html`
    <div class="card-face ${card.problem ? "dull" : ""}" ${cssVariables(colors)}>
      <div class="card-top">
        <b class="wrap" dir="auto">${merchant?.name}</b>
        <span>${cardRef(card.ref)}${date ? html`<br><small>${card.problem === "expired" ? "Expired" : "Valid to"} ${date}</small>` : ""}</span>
      </div>
      <div>
        <span>Balance</span>
        <strong>${card.balance === null ? "Not known" : html`<bdi>${formatMinor(card.balance, card.currency)}</bdi>`}</strong>
      </div>
    </div>`;
}
