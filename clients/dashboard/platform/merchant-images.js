// The images that everybody can see of a merchant: its logo and those of its gift cards on sale. A platform administrator takes one down.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, call } from "../shell/api.js";
import { change } from "../shell/change.js";
import { Resource } from "../shell/page.js";
import { rowButton, states } from "../shell/parts.js";
import { askWithReason } from "../forms/reason-dialog.js";

/** @typedef {import("./merchant-decisions.js").Merchant} Merchant */
/** @typedef {{name: string, address: string, key: string | null}} Image */

export class MerchantImages {
  /** @type {Merchant | null} */
  merchant = null;

  /** @param {{requestUpdate(): void}} page */
  constructor(page) {
    // Not one of the page's own: it is loaded whenever the merchant was.
    this.list = new Resource({ requestUpdate: () => page.requestUpdate() }, () => this.read());
  }

  /** @param {Merchant} merchant */
  load(merchant) {
    this.merchant = merchant;
    this.list.load();
  }

  /** @returns {Promise<Image[]>} */
  async read() {
    const { slug, status, profile } = /** @type {Merchant} */ (this.merchant);
    const params = { path: { slug } };
    const isShown = status === "ACTIVE"; // only then there is a shop
    const cards = isShown
      ? (await call(() => api.GET("/api/merchants/{slug}/catalog", { params, credentials: "omit" }))).data
      : [];
    const images = [{ name: "Logo", address: profile.brand.logoUrl }].concat(
      cards.map(({ name, imageUrl }) => ({ name, address: imageUrl ?? "" })),
    );
    return images.filter(({ address }) => address).map((image) => ({ ...image, key: keyOf(image.address) }));
  }

  /** @param {Merchant} merchant */
  panel({ name }) {
    const ready = (/** @type {Image[]} */ images) =>
      images.length === 0
        ? html`<p class="none faint">None</p>`
        : html`<ul class="rows">
            ${images.map((image) => this.row(image, name))}
          </ul>`;
    return html`<section class="panel">
      <header><h2>Images</h2></header>
      ${states(this.list, { what: "Images", rows: 2, ready })}
    </section>`;
  }

  /** @param {Image} image @param {string} merchant */
  row({ name, address, key }, merchant) {
    const takeDown = rowButton({
      word: "Take down",
      label: `Take down: ${name}`,
      act: () => this.takeDown(name, key ?? "", merchant),
    });
    return html`<li>
      <img class="logo" src=${address} alt="" loading="lazy" />
      <span class="grow wrap" dir="auto">${name}</span>
      ${key ? takeDown : html`<span class="small muted">Kept elsewhere</span>`}
    </li>`;
  }

  /** @param {string} name @param {string} key @param {string} merchant */
  async takeDown(name, key, merchant) {
    const done = await askWithReason({
      title: `Take down: ${name}`,
      verb: "Take down",
      tone: "danger",
      failed: "The image was not taken down.",
      done: "The image is taken down.",
      intro: html`<p class="muted">
        It is no longer visible and cannot be put back. The administrators of ${merchant} are notified by e-mail.
      </p>`,
      act: (_, reason) => change(() => api.DELETE("/api/admin/media", { body: { key, reason } })),
    });
    if (done) await this.list.load();
  }
}

/** The key of an image that is stored here; null for one that is kept elsewhere. @param {string} address */
function keyOf(address) {
  const key = URL.parse(address)?.searchParams.get("key");
  return key && /\/api\/public\/gift-card-image\?/.test(address) ? key : null;
}
