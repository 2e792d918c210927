// Offers by status.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { api, call } from "../api.js";
import { giftCard, loadColor } from "../gift-card.js";
import { imageOf, priceText } from "../offers-view.js";
import { Page, Resource } from "../page.js";
import { formatCount, head, nothingYet, states } from "../parts.js";
import { mayEquip } from "../store.js";
import { loadSheet } from "../styles.js";

/** @typedef {import("../offers-view.js").Offer} Offer */

const GROUPS = /** @type {const} */ ([
  ["AVAILABLE", "On sale"],
  ["AWAITING_APPROVAL", "Awaiting approval"],
  ["HIDDEN", "Hidden"],
  ["EXPIRED", "Expired"],
  ["CANCELED", "Cancelled"],
  ["ARCHIVED", "Archived"],
]);

class OffersPage extends Page {
  /** @type {string | undefined} */
  color;

  list = new Resource(this, async () => {
    const [{ data }, color] = await Promise.all([call(() => api.GET("/api/bff/offers")), this.color ?? loadColor()]);
    this.color = color;
    return data.items;
  });

  arrive() {
    this.list.load();
  }

  render() {
    const mayAdd = mayEquip("portal.gift_cards");
    const add = html`<a class="button primary" href="/offers/new">New offer</a>`;
    const first = html`<a class="button" href="/offers/new">Create an offer</a>`;
    const none = html`<div class="panel">
      ${nothingYet("offers", "An offer is a gift card that customers can buy.", mayAdd ? first : nothing)}
    </div>`;
    const ready = (/** @type {Offer[]} */ offers) => (offers.length ? groups(offers, this.color) : none);
    return html`${head("Offers", "Gift cards that your shop and tills sell", mayAdd ? add : nothing)}
    ${states(this.list, { what: "Offers", rows: 6, ready })}`;
  }
}

/** @param {Offer[]} offers @param {string | undefined} color */
function groups(offers, color) {
  const known = GROUPS.map(([status]) => String(status));
  const others = offers.filter(({ status }) => !known.includes(status));
  /** @param {readonly [string, string]} of */
  const ofStatus = ([status, title]) => {
    const tiles = offers.filter((offer) => offer.status === status).map((offer) => tile(offer, color));
    return group(title, tiles);
  };
  const withStatus = (/** @type {Offer} */ offer) => tile(offer, color, badge(offer.status));
  return html`${GROUPS.map(ofStatus)} ${group("Others", others.map(withStatus))}`;
}

/** @param {string} title @param {unknown[]} tiles */
function group(title, tiles) {
  if (tiles.length === 0) return nothing;
  return html`<section>
    <div class="group-head">
      <h2>${title}</h2>
      <span class="faint">${formatCount(tiles.length)}</span>
    </div>
    <ul class="offers">
      ${tiles}
    </ul>
  </section>`;
}

/** Where its image covers them, name and price stand below. @param {Offer} offer @param {string | undefined} color @param {unknown} [status] */
function tile(offer, color, status = nothing) {
  const { id, name } = offer;
  const [image, price] = [imageOf(offer), priceText(offer)];
  const about = html`<span class="about"
    ><b class="wrap" dir="auto">${name}</b><span class="muted">${price}</span></span
  >`;
  return html`<li class=${offer.status === "AVAILABLE" ? "" : "dim"}>
    <a href=${`/offers/${encodeURIComponent(id)}`}>
      ${giftCard({ image, name, price, color })}${image ? about : nothing}${status}
      ${offer.saleProblem === null ? nothing : notSold(offer.saleProblem)}
    </a>
  </li>`;
}

/** @param {string} problem */
function notSold(problem) {
  return html`<span class="small wrap"><span class="warn tone" aria-hidden="true">!</span> Not sold. ${problem}</span>`;
}

await loadSheet("/offers.css");
customElements.define("offers-page", OffersPage);
