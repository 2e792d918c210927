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
    const add = mayEquip("portal.gift_cards")
      ? html`<a class="button primary" href="/offers/new">New offer</a>`
      : nothing;
    return html`${head("Offers", "Gift cards that your shop and tills sell", add)}
    ${states(this.list, {
      what: "Offers",
      rows: 6,
      ready: (offers) =>
        offers.length === 0
          ? html`<div class="panel">
              ${nothingYet("offers", "An offer is a gift card that customers can buy.", mayEquip("portal.gift_cards") ? html`<a class="button" href="/offers/new">Create an offer</a>` : nothing)}
            </div>`
          : [...GROUPS, /** @type {const} */ (["", "Others"])].map(([status, title]) =>
              this.group(status, title, offers),
            ),
    })}`;
  }

  /** @param {string} status @param {string} title @param {Offer[]} all */
  group(status, title, all) {
    const known = GROUPS.map(([name]) => String(name));
    const offers = all.filter((offer) => (status ? offer.status === status : !known.includes(offer.status)));
    if (offers.length === 0) return nothing;
    return html`<section>
      <div class="group-head">
        <h2>${title}</h2>
        <span class="faint">${formatCount(offers.length)}</span>
      </div>
      <ul class="offers">
        ${offers.map(
          (offer) =>
            html`<li class=${status === "AVAILABLE" ? "" : "dim"}>
              <a href=${`/offers/${encodeURIComponent(offer.id)}`}>
                ${giftCard(imageOf(offer))}
                <span class="about"
                  ><b class="wrap" dir="auto">${offer.name}</b>${status ? nothing : badge(offer.status)}<span
                    class="muted"
                    >${priceText(offer)}</span
                  ></span
                ></a
              >
            </li>`,
        )}
      </ul>
    </section>`;
  }
}
customElements.define("offers-page", OffersPage);
