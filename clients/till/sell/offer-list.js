// The offers to choose from. Store credit stands apart.

import { html, nothing } from "/kit/vendor/lit.js";
import { cardThumbnail } from "../cards/card-face.js";
import { t } from "../shell/text.js";
import { priceOf } from "./offer-prices.js";

/** @typedef {import("../till.js").Offer} Offer */
/** @typedef {(offer: Offer) => void} Choose */
/** @typedef {import("../shell/storage.js").Pairing["merchant"] | undefined} Merchant */

/** @param {{catalog: import("../cards/look-ups.js").Catalog | null, hasFailed: boolean, merchant: Merchant, choose: Choose, again: () => void}} given */
export function offerList({ catalog, hasFailed, merchant, choose, again }) {
  const failed = html`<div class="notice bad" role="alert">
    <p>${t("sell-failed")}</p>
    <button type="button" class="button" @click=${again}>${t("again")}</button>
  </div>`;
  return html`<div class="screen">
    <div class="stack grow">
      <h1 tabindex="-1">${t("sell-title")}</h1>
      ${catalog ? sold(catalog.offers, merchant, choose) : hasFailed ? nothing : skeleton()}
      ${hasFailed ? failed : nothing} ${catalog?.credit.length ? credit(catalog.credit, choose) : nothing}
    </div>
  </div>`;
}

/** @param {Offer[]} offers @param {Merchant} merchant @param {Choose} choose */
function sold(offers, merchant, choose) {
  if (offers.length === 0) {
    return html`<div class="empty">
      <b>${t("sell-empty-title")}</b>
      <p>${t("sell-empty")}</p>
    </div>`;
  }
  return html`<ul class="offers">
    ${offers.map(
      (offer) =>
        html`<li>
          <button type="button" class="panel offer" @click=${() => choose(offer)}>
            ${cardThumbnail(merchant)}
            <b dir="auto">${offer.name}</b>
            <span class="price"><bdi>${priceOf(offer)}</bdi></span>
            ${offer.description ? html`<span class="muted" dir="auto">${offer.description}</span>` : nothing}
          </button>
        </li>`,
    )}
  </ul>`;
}

/** @param {Offer[]} offers @param {Choose} choose */
function credit(offers, choose) {
  return html`<section class="stack credit" aria-labelledby="credit-title">
    <h2 id="credit-title">${t("sell-credit-title")}</h2>
    <p class="muted">${t("sell-credit")}</p>
    <ul class="offers">
      ${offers.map(
        (offer) =>
          html`<li>
            <button type="button" class="panel offer plain" @click=${() => choose(offer)}>
              <b dir="auto">${offer.name}</b><span class="muted"><bdi>${priceOf(offer)}</bdi></span>
            </button>
          </li>`,
      )}
    </ul>
  </section>`;
}

const skeleton = () =>
  html`<div class="offers" role="status" aria-label=${t("sell-loading")}>
    ${[1, 2, 3].map(() => html`<div class="skeleton offer"></div>`)}
  </div>`;
