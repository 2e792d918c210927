// A gift card, drawn in the colours of the merchant.

import { html } from "/kit/vendor/lit.js";
import { parseColor, shade, textOn } from "/kit/brand.js";
import { cssVariables } from "/kit/css-variables.js";
import { money, time } from "../shell/formats.js";
import { t } from "../shell/text.js";
import { cardRef } from "../shell/view.js";

/** @typedef {import("../shell/storage.js").Pairing["merchant"]} Merchant */

const DEFAULT_COLOR = "#1b3a4b";

/**
 * @param {import("./card.js").Card} card
 * @param {Merchant | undefined} merchant
 * @param {string | undefined} offer its name, once it is known
 */
export function cardFace(card, merchant, offer) {
  const date = card.expiresAt && time(card.expiresAt, { dateStyle: "medium" });
  return html` <div class="card-face ${card.problem ? "dull" : ""}" ${colors(merchant)}>
    <div class="card-top">
      <span class="names">
        <b class="wrap" dir="auto">${merchant?.name}</b>
        <span class="wrap" dir="auto">${offer ?? t("card-gift-card")}</span>
      </span>
      <span>
        ${cardRef(card.ref)}
        ${date ? html`<br /><small>${t(card.problem === "expired" ? "card-expired-on" : "card-valid-to", { date })}</small>` : ""}
      </span>
    </div>
    <div>
      <span>${t("card-balance")}</span>
      <strong
        >${card.balance === null ? t("not-known") : html`<bdi>${money(card.balance, card.currency)}</bdi>`}</strong
      >
    </div>
  </div>`;
}

/**
 * The card that is about to be sold. Its name is the heading of the step.
 *
 * @param {string} name
 * @param {Merchant | undefined} merchant
 */
export function offerFace(name, merchant) {
  return html` <div class="card-face slim" ${colors(merchant)}>
    <div class="card-top"><b class="wrap" dir="auto">${merchant?.name}</b></div>
    <h1 class="wrap" tabindex="-1" dir="auto">${name}</h1>
  </div>`;
}

/**
 * A small one, beside a name.
 *
 * @param {Merchant | undefined} merchant
 */
export function cardThumbnail(merchant) {
  return html`<span class="thumbnail" ${colors(merchant)}></span>`;
}

/** @param {Merchant | undefined} merchant */
function colors(merchant) {
  const color = parseColor(merchant?.primaryColor) ?? DEFAULT_COLOR;
  return cssVariables({
    "--card": color,
    "--card-end": shade(color),
    "--card-text": textOn(color),
    "--card-ring": parseColor(merchant?.secondaryColor) ?? shade(color),
  });
}
