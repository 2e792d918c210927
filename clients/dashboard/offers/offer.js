// One offer: an editor with a preview. A new offer has the id "new".

import { DOUBLE_CLICK, once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { api, call } from "../shell/api.js";
import { change } from "../shell/change.js";
import { creator } from "../shell/creator.js";
import { FormPage } from "../forms/form-page.js";
import { focusError, refusal, submitButton, toast } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { storeImage } from "../forms/image-field.js";
import { offerFields } from "./offer-form.js";
import { OfferValues } from "./offer-values.js";
import { giftCard, loadColor } from "./gift-card.js";
import { priceText } from "./offers-view.js";
import { Resource } from "../shell/page.js";
import { bars, formatCount, states } from "../shell/parts.js";
import { go } from "../shell/router.js";
import { isClosed, mayEquip, store } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";

/** @typedef {import("./offers-view.js").Offer} Offer */

class OfferPage extends FormPage {
  values = new OfferValues(store.currency);
  create = creator();
  /** The form is still there while the list is loaded: a second click would make a second offer. */
  isCreated = false;
  color = new Resource(this, loadColor);

  offer = new Resource(this, async () => {
    const path = { id: this.params.id ?? "" };
    const offer = (await call(() => api.GET("/api/bff/offers/{id}", { params: { path } }))).data;
    if (!this.changed) this.values = OfferValues.of(offer); // read again, it leaves what was typed
    return offer;
  });

  get isNew() {
    return this.params.id === "new";
  }

  arrive() {
    this.color.load();
    if (!this.isNew) this.offer.load();
  }

  render() {
    const trail = html`<p class="trail">
      <a href="/offers">${icon("back", { mirror: true })}Offers</a>
    </p>`;
    if (this.isNew) return html`${trail}${this.editor(null)}`;
    const ready = (/** @type {Offer} */ offer) => this.editor(offer);
    return html`${trail}${states(this.offer, { what: "The offer", skeleton: bars(8), ready })}`;
  }

  /** @param {Offer | null} offer */
  editor(offer) {
    const editable = mayEquip("portal.gift_cards");
    const notChanged = this.problemOf("AVAILABLE") ?? this.problemOf("HIDDEN") ?? this.problemOf("ARCHIVED");
    return html`<header class="page-head">
        <div>
          <h1 tabindex="-1" dir="auto">${offer ? offer.name : "New offer"}</h1>
          ${offer ? html`<p>${badge(offer.status)} ${offer.status === "AWAITING_APPROVAL" ? html`<span class="muted">Nobody can buy it yet.</span>` : nothing}</p>` : nothing}
        </div>
        ${offer && editable ? this.statusActions(offer) : nothing}
      </header>
      ${refusal(notChanged, "The offer is as before. Nothing was changed.")}
      ${offer?.saleProblem ? notSold(offer.saleProblem) : nothing}
      <div class="beside start">
        <section class="panel">${editable ? this.form(offer) : notEditable()}</section>
        ${this.preview()}
      </div>`;
  }

  preview() {
    const { text } = this.values;
    const image = this.values.image?.seen ?? null;
    const name = text.name || "Name of the offer";
    const price = priceText(this.values.prices());
    return html`<aside class="panel preview" aria-label="Preview">
      <h2>Preview</h2>
      ${giftCard({ image, name, price, color: this.color.data })}
      ${image ? html`<p><b class="wrap" dir="auto">${name}</b><br />${price}</p>` : nothing}
      ${text.description ? html`<p class="muted wrap" dir="auto">${text.description}</p>` : nothing}
      <p class="small faint">${validity(text.days)}</p>
    </aside>`;
  }

  /** @param {Offer | null} offer */
  form(offer) {
    const fields = offerFields({
      values: this.values,
      isNew: !offer,
      busy: this.busy,
      imageRefused: refusal(this.problemOf("image"), "The image was not stored."),
      draw: () => this.requestUpdate(),
      upload: (file) => this.upload(file),
      removeImage: () => this.setImage(null),
    });
    return html`<form class="form" novalidate @submit=${this.save}>
      ${fields} ${refusal(this.problemOf("save"), "The offer was not saved. Nothing was changed.")}
      <div class="bar">${submitButton(offer ? "Save" : "Create offer", this.busy === "save")}</div>
    </form>`;
  }

  /** @param {Offer} offer */
  statusActions(offer) {
    /** @param {"AVAILABLE" | "HIDDEN" | "ARCHIVED"} status @param {string} word @param {string} said */
    const action = (status, word, said) =>
      html`<button
        class="button"
        type="button"
        aria-busy=${this.busy === status ? "true" : "false"}
        @click=${() => this.setStatus(status, said)}
      >
        ${word}
      </button>`;
    const hide = action("HIDDEN", "Hide", "Hidden. Tills stop selling it now.");
    return html`<div class="actions">
      ${offer.status === "AVAILABLE" ? hide : action("AVAILABLE", "Put on sale", "On sale now.")}
      ${offer.status === "ARCHIVED" ? nothing : action("ARCHIVED", "Archive", "Archived.")}
    </div>`;
  }

  /** The button is its own opposite afterwards: the second click of a double one would take it back. */
  setStatus = once(
    (/** @type {"AVAILABLE" | "HIDDEN" | "ARCHIVED"} */ status, /** @type {string} */ said) => {
      const path = { id: this.params.id ?? "" };
      return this.run(status, async () => {
        const { data } = await change(() =>
          api.PATCH("/api/bff/offers/{id}/status", { params: { path }, body: { status } }),
        );
        this.offer.data = data;
        toast(said);
      });
    },
    { rest: DOUBLE_CLICK },
  );

  /** @param {SubmitEvent} event */
  async save(event) {
    event.preventDefault();
    if (this.busy || this.isCreated) return;
    const valid = this.values.checkAll();
    this.requestUpdate();
    if (!valid) return focusError(this);
    await this.run("save", () => (this.isNew ? this.saveNew() : this.saveChanges()));
  }

  async saveNew() {
    const body = { ...this.values.request(), usage: this.values.text.usage, giftCardOfferType: "GIFTCARD_DIGITAL" };
    const { data } = await this.create((params) => api.POST("/api/bff/offers", { params, body }));
    this.savedEdits = this.edits;
    this.isCreated = true;
    if (this.isConnected) go("/offers"); // who has gone on meanwhile stays there
    const isDraft = data.status === "AWAITING_APPROVAL";
    toast(`The offer was created.${isDraft ? " It is a draft: put it on sale when it is ready." : ""}`);
  }

  async saveChanges() {
    const path = { id: this.params.id ?? "" };
    const [body, { edits }] = [this.values.request(), this];
    const { data } = await change(() => api.PUT("/api/bff/offers/{id}", { params: { path }, body }));
    this.savedEdits = edits;
    this.offer.data = data;
    if (!this.changed) this.values = OfferValues.of(data); // else it would take back what was typed meanwhile
    toast("The offer was saved.");
  }

  /** @param {File} file */
  async upload(file) {
    await this.run("image", async () => this.setImage(await storeImage(file)));
  }

  /** @param {{kept: string, seen: string} | null} image */
  setImage(image) {
    this.values.image = image;
    this.edits += 1;
    this.requestUpdate();
  }
}

/** @param {string} problem */
function notSold(problem) {
  return html`<div class="notice warn">
    ${icon("warn")}
    <div>
      <b>Neither shop nor tills sell this offer.</b>
      <p class="wrap">${problem}</p>
    </div>
  </div>`;
}

function notEditable() {
  const why = isClosed() ? "Offers of your business can no longer be changed." : "Your role is read-only.";
  return html`<p class="inset muted">${why}</p>`;
}

/** @param {string} days */
function validity(days) {
  const number = Number(days);
  if (!(number > 0)) return "Does not expire";
  const [count, unit] = number % 365 === 0 ? [number / 365, "year"] : [number, "day"];
  return `Works for ${formatCount(count)} ${unit}${count === 1 ? "" : "s"}`;
}

await loadSheet("/offers/offers.css");
customElements.define("offer-page", OfferPage);
