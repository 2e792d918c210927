// The page of a merchant's gift cards, at /{slug}. Nothing is sold here: its links lead to the merchant's own shop.

import { config } from "/config.js";
import { html, LitElement, nothing, repeat } from "/kit/vendor/lit.js";
import { initials } from "/kit/brand.js";
import { createPortalClient } from "/portal-api/index.js";
import { applyBrand } from "./brand-style.js";
import "./offer-card.js";

/** @typedef {import("/portal-api/index.js").Schemas} Schemas */
/** @typedef {{merchant: Schemas["StorefrontMerchant"], offers: Schemas["CatalogItem"][], popularAmount: number | null}} Shop */

const portal = createPortalClient({ baseUrl: config.api });

class Storefront extends LitElement {
  static properties = { state: { state: true }, hasLogo: { state: true } };

  constructor() {
    super();
    /** @type {"loading" | "shown" | "unknown" | "failed"} */
    this.state = "loading";
    this.hasLogo = false;
    /** @type {Shop | null} */
    this.shop = null;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.load();
  }

  async load() {
    this.state = "loading";
    const slug = pathSlug();
    if (!slug) {
      this.state = "unknown";
      return;
    }
    try {
      const params = { path: { slug } };
      const [merchant, catalog] = await Promise.all([
        portal.GET("/api/merchants/{slug}", { params }),
        portal.GET("/api/merchants/{slug}/catalog", { params }),
      ]);
      if (merchant.response.status === 404) {
        document.title = "No shop at this address";
        this.state = "unknown";
      } else if (merchant.data && catalog.data) {
        this.shop = { merchant: merchant.data.data, offers: catalog.data.data, popularAmount: catalog.data.meta.popularAmount };
        document.title = `Gift cards of ${this.shop.merchant.name}`;
        applyBrand(this.shop.merchant);
        this.state = "shown";
      } else {
        this.state = "failed";
      }
    } catch {
      this.state = "failed"; // no connection
    }
  }

  render() {
    if (this.state === "shown" && this.shop) return this.renderShop(this.shop);
    if (this.state === "unknown") {
      return html`<main class="message">
        <h1>There is no shop at this address.</h1>
        <p class="muted">Check the address, or ask the shop for the link to its gift cards.</p>
      </main>`;
    }
    if (this.state === "failed") {
      return html`<main class="message">
        <h1>The shop could not be loaded.</h1>
        <p class="muted" role="alert">Nothing was changed. Check your connection and try again.</p>
        <button class="button primary" @click=${this.load}>Try again</button>
      </main>`;
    }
    return renderSkeleton();
  }

  /** @param {Shop} shop */
  renderShop({ merchant, offers, popularAmount }) {
    const home = merchant.homeUrl;
    return html`
      <header class="hero">
        <div class="inside">
          <span class="logo" aria-hidden="true">
            ${initials(merchant.name)}
            ${merchant.logoUrl
              ? html`<img src=${merchant.logoUrl} alt="" ?hidden=${!this.hasLogo} @load=${() => (this.hasLogo = true)}>`
              : nothing}
          </span>
          <h1 dir="auto">${merchant.name}</h1>
          ${merchant.description ? html`<p dir="auto">${merchant.description}</p>` : nothing}
          ${home ? html`<a class="button visit" href=${home}>Visit ${hostOf(home)}</a>` : nothing}
        </div>
      </header>
      <main class="inside">
        <h2>Gift cards</h2>
        ${offers.length === 0
          ? html`<div class="panel empty"><b>No gift cards yet</b><p>${merchant.name} has none to sell at the moment.</p></div>`
          : html`<ul class="offers">
              ${repeat(offers, (offer) => offer.id, (offer) => html`<li>
                <x-offer-card .offer=${offer} .merchantName=${merchant.name} .homeUrl=${home} .popularAmount=${popularAmount}></x-offer-card>
              </li>`)}
            </ul>`}
      </main>
      <footer>
        <div class="inside">
          <span>${home ? html`Gift cards are sold by <bdi>${merchant.name}</bdi>.` : "Gift cards are sold in the shop."}</span>
          ${merchant.termsUrl ? html`<a href=${merchant.termsUrl}>Terms</a>` : nothing}
        </div>
      </footer>`;
  }
}

/** The last page's size, so that nothing moves when it arrives. */
function renderSkeleton() {
  const card = html`<li><div class="art skeleton"></div><div class="line skeleton"></div><div class="line skeleton"></div></li>`;
  return html`
    <div class="hero loading"></div>
    <main class="inside" aria-busy="true">
      <h1 class="sr">Gift cards</h1>
      <h2 aria-hidden="true">Gift cards</h2>
      <ul class="offers" aria-hidden="true">${card}${card}${card}</ul>
    </main>`;
}

/** The address is /{slug}. */
function pathSlug() {
  try {
    return decodeURIComponent(location.pathname.replace(/^\/|\/$/g, ""));
  } catch {
    return ""; // no valid escapes: no slug either
  }
}

/** @param {string} url */
function hostOf(url) {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, "") : "the shop";
}

customElements.define("x-storefront", Storefront);
