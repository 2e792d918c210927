// Offers by status.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { api, call } from "../api.js";
import { giftCard, imageOf, priceText } from "../offers-view.js";
import { Page, Resource } from "../page.js";
import { formatCount, head, nothingYet, states } from "../parts.js";
import { mayEquip } from "../store.js";

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
  list = new Resource(this, async () => (await call(() => api.GET("/api/bff/offers"))).data.items);

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
    const ready = (/** @type {Offer[]} */ offers) => (offers.length ? groups(offers) : none);
    return html`${head("Offers", "Gift cards that your shop and tills sell", mayAdd ? add : nothing)}
    ${states(this.list, { what: "Offers", rows: 6, ready })}`;
  }
}

/** @param {Offer[]} offers */
function groups(offers) {
  const known = GROUPS.map(([status]) => String(status));
  const others = offers.filter(({ status }) => !known.includes(status));
  return html`${GROUPS.map(([status, title]) =>
    group(
      title,
      offers.filter((offer) => offer.status === status),
      status,
    ),
  )}
  ${group("Others", others, "")}`;
}

/** @param {string} title @param {Offer[]} offers @param {string} status empty where it is not the title */
function group(title, offers, status) {
  if (offers.length === 0) return nothing;
  return html`<section>
    <div class="group-head">
      <h2>${title}</h2>
      <span class="faint">${formatCount(offers.length)}</span>
    </div>
    <ul class="offers">
      ${offers.map((offer) => tile(offer, status))}
    </ul>
  </section>`;
}

/** @param {Offer} offer @param {string} status */
function tile(offer, status) {
  return html`<li class=${status === "AVAILABLE" ? "" : "dim"}>
    <a href=${`/offers/${encodeURIComponent(offer.id)}`}>
      ${giftCard(imageOf(offer))}
      <span class="about">
        <b class="wrap" dir="auto">${offer.name}</b>
        ${status ? nothing : badge(offer.status)}
        <span class="muted">${priceText(offer)}</span>
      </span>
    </a>
  </li>`;
}

customElements.define("offers-page", OffersPage);
