// Offers by status.

import { DOUBLE_CLICK, once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { api, call } from "../shell/api.js";
import { change, Doubt } from "../shell/change.js";
import { refusal, toast } from "../forms/forms.js";
import { giftCard, loadColor } from "./gift-card.js";
import { imageOf, priceText } from "./offers-view.js";
import { Page, Resource } from "../shell/page.js";
import { formatCount, head, nothingYet, states } from "../shell/parts.js";
import { mayEquip } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";

/** @typedef {import("./offers-view.js").Offer} Offer */

const GROUPS = /** @type {const} */ ([
  ["AVAILABLE", "On sale"],
  ["AWAITING_APPROVAL", "Drafts"],
  ["HIDDEN", "Hidden"],
  ["EXPIRED", "Expired"],
  ["CANCELED", "Cancelled"],
  ["ARCHIVED", "Archived"],
]);

class OffersPage extends Page {
  /** @type {string | undefined} */
  color;
  /** Why an offer was not put on sale. @type {unknown} */
  problem = null;
  doubt = new Doubt();

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
    const put = mayAdd ? this.putOnSale : null;
    const ready = (/** @type {Offer[]} */ offers) => (offers.length ? groups(offers, this.color, put) : none);
    return html`${head("Offers", "Gift cards that your shop and tills sell", mayAdd ? add : nothing)}
    ${refusal(this.problem, "The offer was not put on sale.")} ${states(this.list, { what: "Offers", rows: 6, ready })}`;
  }

  /** Another draft may stand there for the second click of a double one. */
  putOnSale = once(
    async (/** @type {Offer} */ { id, name }) => {
      const path = { id };
      this.problem = null;
      try {
        await change(() =>
          api.PATCH("/api/bff/offers/{id}/status", { params: { path }, body: { status: "AVAILABLE" } }),
        );
        toast(`${name} is on sale now.`);
        this.doubt.end(id);
      } catch (problem) {
        this.problem = this.doubt.about(problem, id);
      }
      await this.list.load();
    },
    { rest: DOUBLE_CLICK },
  );
}

/** @param {Offer[]} offers @param {string | undefined} color @param {((offer: Offer) => void) | null} put */
function groups(offers, color, put) {
  const known = GROUPS.map(([status]) => String(status));
  const others = offers.filter(({ status }) => !known.includes(status));
  /** @param {readonly [string, string]} of */
  const ofStatus = ([status, title]) => {
    const act = status === "AWAITING_APPROVAL" ? put : null;
    const tiles = offers.filter((offer) => offer.status === status).map((offer) => tile(offer, color, { put: act }));
    return group(title, tiles);
  };
  const withStatus = (/** @type {Offer} */ offer) => tile(offer, color, { status: badge(offer.status) });
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

/**
 * Name and price stand on the card, or below its image. A draft has its button beside it.
 * @param {Offer} offer
 * @param {string | undefined} color
 * @param {{status?: unknown, put?: ((offer: Offer) => void) | null}} more
 */
function tile(offer, color, { status = nothing, put = null }) {
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
    ${put ? html`<button class="button" type="button" aria-label=${`Put on sale: ${name}`} @click=${() => put(offer)}>Put on sale</button>` : nothing}
  </li>`;
}

/** @param {string} problem */
function notSold(problem) {
  return html`<span class="small wrap"><span class="warn tone" aria-hidden="true">!</span> Not sold. ${problem}</span>`;
}

await loadSheet("/offers/offers.css");
customElements.define("offers-page", OffersPage);
