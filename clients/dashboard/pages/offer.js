// One offer: an editor with a preview. A new offer has the id "new".

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { exponentOf, fromMinor, toMinor } from "/kit/money.js";
import { parseAmount, typedAmount } from "/kit/typed-amount.js";
import { api, call } from "../api.js";
import { icon } from "../icons.js";
import { giftCard, imageOf, priceKind, priceText } from "../offers-view.js";
import { FormPage } from "../form-page.js";
import { Resource } from "../page.js";
import { field, focusError, refusal, toast } from "../forms.js";
import { bars, segmented, states } from "../parts.js";
import { go } from "../router.js";
import { isClosed, mayEquip, store } from "../store.js";

/** @typedef {import("../offers-view.js").Offer} Offer */

const KINDS = /** @type {const} */ ([
  ["range", "Any amount"],
  ["amounts", "Set amounts"],
  ["fixed", "One price"],
]);
const USAGES = /** @type {const} */ ([
  ["BOTH", "Shop and tills"],
  ["WEB", "Shop"],
  ["POS", "Tills"],
]);

class OfferPage extends FormPage {
  /** @type {Record<string, string>} */
  values = emptyValues();
  /** @type {"fixed" | "amounts" | "range"} */
  kind = "range";
  /** Address of the image to keep, and where this page sees it. @type {{kept: string, seen: string} | null} */
  image = null;
  /** @type {Record<string, string>} */
  errors = {};

  offer = new Resource(this, async () => {
    const offer = (
      await call(() => api.GET("/api/bff/offers/{id}", { params: { path: { id: this.params.id ?? "" } } }))
    ).data;
    this.fill(offer);
    return offer;
  });

  get isNew() {
    return this.params.id === "new";
  }

  get currency() {
    return this.offer.data?.currency || store.currency;
  }

  arrive() {
    if (!this.isNew) this.offer.load();
  }

  /** @param {Offer} offer */
  fill(offer) {
    /** @param {number | null} value */
    const amount = (value) => (value === null ? "" : typed(value, offer.currency));
    this.kind = priceKind(offer);
    this.values = {
      name: offer.name,
      description: offer.description ?? "",
      price: amount(offer.defaultPrice),
      min: amount(offer.min),
      max: amount(offer.max),
      amounts: offer.denominations.map((value) => typed(value, offer.currency)).join("; "),
      days:
        offer.numberOfDaysCardIsValidFromPurchaseTime === null
          ? ""
          : String(offer.numberOfDaysCardIsValidFromPurchaseTime),
      usage: "BOTH",
    };
    const address = imageOf(offer);
    this.image = address ? { kept: address, seen: address } : null;
  }

  render() {
    const trail = html`<p class="trail"><a href="/offers">${icon("back", { mirror: true })}Offers</a></p>`;
    if (this.isNew) return html`${trail}${this.editor(null)}`;
    return html`${trail}${states(this.offer, { what: "The offer", skeleton: bars(8), ready: (offer) => this.editor(offer) })}`;
  }

  /** @param {Offer | null} offer */
  editor(offer) {
    const editable = mayEquip("portal.gift_cards");
    return html`<header class="page-head">
        <div>
          <h1 tabindex="-1" dir="auto">${offer ? offer.name : "New offer"}</h1>
          ${offer ? html`<p>${badge(offer.status)}</p>` : nothing}
        </div>
        ${offer && editable ? this.statusActions(offer) : nothing}
      </header>
      <div class="beside start">
        <section class="panel">
          ${editable ? this.form(offer) : html`<p class="inset muted">${isClosed() ? "Offers of your business cannot be changed any more." : "Your role is read-only."}</p>`}
        </section>
        <aside class="panel preview" aria-label="Preview">
          <h2>Preview</h2>
          ${giftCard(this.image?.seen ?? null)}
          <p>
            <b class="wrap" dir="auto">${this.values.name || "Name of the offer"}</b><br />${priceText(this.draft())}
          </p>
          ${this.values.description ? html`<p class="muted wrap" dir="auto">${this.values.description}</p>` : nothing}
          <p class="small faint">
            ${Number(this.values.days) > 0 ? `Works for ${this.values.days} ${this.values.days === "1" ? "day" : "days"}` : "Does not expire"}
          </p>
        </aside>
      </div>`;
  }

  /** @param {Offer | null} offer */
  form(offer) {
    /** @param {string} name */
    const bind = (name) => ({
      name,
      value: this.values[name] ?? "",
      error: this.errors[name],
      oninput: (/** @type {string} */ value) => this.set(name, value),
      onleave: () => this.check(name),
    });
    const whole = exponentOf(this.currency) === 0 ? `${this.currency} has no decimals.` : `In ${this.currency}`;
    return html`<form class="form" novalidate @submit=${this.save}>
      ${field({ ...bind("name"), label: "Name", required: true, maxlength: 200 })}
      ${field({ ...bind("description"), label: "Description", rows: 3, maxlength: 2000, hint: "Customers read it beside the card." })}
      <fieldset>
        <legend>Price</legend>
        ${
          offer
            ? html`<p class="muted">${KINDS.find(([kind]) => kind === this.kind)?.[1]}</p>`
            : html`<div>
                ${segmented("Kind of price", KINDS, this.kind, (kind) => {
                  this.kind = kind;
                  this.errors = {};
                  this.requestUpdate();
                })}
              </div>`
        }
        ${
          this.kind === "fixed"
            ? field({ ...bind("price"), label: "Price", inputmode: "decimal", hint: whole })
            : this.kind === "amounts"
              ? field({ ...bind("amounts"), label: "Amounts", hint: `Separated by semicolons. ${whole}` })
              : html`<div class="two">
                  ${field({ ...bind("min"), label: "From", inputmode: "decimal", hint: whole })}${field({ ...bind("max"), label: "To", inputmode: "decimal" })}
                </div>`
        }
      </fieldset>
      <div class="two">
        ${field({ ...bind("days"), label: "Works for how many days", inputmode: "numeric", hint: "Counted from the sale. Empty: it does not expire." })}
        ${offer ? nothing : field({ name: "usage", label: "Sold in", value: this.values.usage ?? "BOTH", options: USAGES, oninput: (value) => this.set("usage", value) })}
      </div>
      <div class="field">
        <label for="image">Image</label>
        <div class="drop">
          <input
            id="image"
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            @change=${this.upload}
            aria-describedby="image-hint"
          />
          <span class="hint faint small" id="image-hint" role="status"
            >${this.busy === "image" ? "The image is being stored." : "PNG, JPEG, GIF or WebP, at most 4 MB. Without one, the card is drawn."}</span
          >
        </div>
        ${this.errors.image ? html`<span class="error" role="alert">${this.errors.image}</span>` : nothing}
      </div>
      ${refusal(this.problem, "The offer was not saved. Nothing was changed.")}
      <div class="bar">
        <button class="button primary" aria-busy=${this.busy === "save" ? "true" : "false"}>
          ${offer ? "Save" : "Create offer"}</button
        ><a class="button quiet" href="/offers">Cancel</a>
      </div>
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
    return html`<div class="actions">
      ${offer.status === "AVAILABLE" ? action("HIDDEN", "Hide", "Hidden. Tills stop selling it now.") : action("AVAILABLE", "Put on sale", "On sale now.")}
      ${offer.status === "ARCHIVED" ? nothing : action("ARCHIVED", "Archive", "Archived.")}
    </div>`;
  }

  /** @param {"AVAILABLE" | "HIDDEN" | "ARCHIVED"} status @param {string} said */
  async setStatus(status, said) {
    const id = this.params.id ?? "";
    await this.run(status, async () => {
      const { data } = await call(() =>
        api.PATCH("/api/bff/offers/{id}/status", { params: { path: { id } }, body: { status } }),
      );
      this.offer.data = data;
      toast(said);
    });
  }

  /** @param {string} name @param {string} value */
  set(name, value) {
    this.values = { ...this.values, [name]: value };
    if (this.errors[name]) this.check(name);
    this.requestUpdate();
  }

  /** @param {string} name */
  check(name) {
    const { [name]: _, ...others } = this.errors;
    const error = this.errorOf(name);
    this.errors = error ? { ...others, [name]: error } : others;
    this.requestUpdate();
  }

  /** @param {string} name */
  errorOf(name) {
    const value = (this.values[name] ?? "").trim();
    const amount = parseAmount(value, this.currency);
    switch (name) {
      case "name":
        return value ? "" : "Enter a name.";
      case "price":
        return this.kind === "fixed" && (amount === null || amount === 0) ? this.amountError() : "";
      case "min":
        return this.kind === "range" && (amount === null || amount === 0) ? this.amountError() : "";
      case "max": {
        const min = parseAmount(this.values.min ?? "", this.currency);
        return this.kind !== "range"
          ? ""
          : amount === null
            ? this.amountError()
            : min !== null && amount < min
              ? "Enter more than the lowest amount."
              : "";
      }
      case "amounts":
        return this.kind === "amounts" && (value === "" || amountsOf(value, this.currency) === null)
          ? this.amountError()
          : "";
      case "days":
        return value !== "" && !/^[1-9]\d{0,4}$/.test(value) ? "Enter a whole number of days." : "";
      default:
        return "";
    }
  }

  amountError() {
    return exponentOf(this.currency) === 0
      ? `Enter a whole amount. ${this.currency} has no decimals.`
      : `Enter an amount, such as ${typed(12.5, this.currency)}.`;
  }

  /** The prices as typed so far, in currency units. */
  draft() {
    /** @param {string | undefined} text */
    const units = (text) => {
      const minor = parseAmount(text ?? "", this.currency);
      return minor === null ? null : Number(fromMinor(minor, this.currency));
    };
    return {
      currency: this.currency,
      priceLocked: this.kind === "fixed",
      defaultPrice: this.kind === "fixed" ? units(this.values.price) : null,
      denominations: this.kind === "amounts" ? (amountsOf(this.values.amounts ?? "", this.currency) ?? []) : [],
      min: this.kind === "range" ? units(this.values.min) : null,
      max: this.kind === "range" ? units(this.values.max) : null,
    };
  }

  /** @param {SubmitEvent} event */
  async save(event) {
    event.preventDefault();
    if (this.busy) return;
    for (const name of ["name", "price", "min", "max", "amounts", "days"]) this.check(name);
    if (Object.values(this.errors).some(Boolean)) return focusError(this);
    const { defaultPrice, denominations, min, max } = this.draft();
    const body = {
      name: (this.values.name ?? "").trim(),
      description: this.values.description?.trim() || null,
      currency: this.currency,
      priceLocked: this.kind === "fixed",
      ...(defaultPrice !== null && { defaultPrice }),
      ...(this.kind === "amounts" && { denominations }),
      ...(min !== null && { minPrice: min }),
      ...(max !== null && { maxPrice: max }),
      ...(this.values.days && { numberOfDaysCardIsValidFromPurchaseTime: Number(this.values.days) }),
      ...(this.image && { giftCardDesign: [{ urlImage: this.image.kept }] }),
    };
    await this.run("save", async () => {
      if (this.isNew) {
        await call(() =>
          api.POST("/api/bff/offers", {
            body: { ...body, usage: this.values.usage, giftCardOfferType: "GIFTCARD_DIGITAL" },
          }),
        );
        go("/offers");
        toast("The offer was created.");
      } else {
        const { data } = await call(() =>
          api.PUT("/api/bff/offers/{id}", { params: { path: { id: this.params.id ?? "" } }, body }),
        );
        this.offer.data = data;
        toast("The offer was saved.");
      }
    });
  }

  /** @param {Event} event */
  async upload(event) {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const file = input.files?.[0];
    if (!file) return;
    if (file.size > 4 * 1024 * 1024) {
      this.errors = { ...this.errors, image: "The file is too large. Choose one of at most 4 MB." };
      return this.requestUpdate();
    }
    const form = new FormData();
    form.set("file", file);
    const { image: _, ...others } = this.errors;
    this.errors = others;
    await this.run("image", async () => {
      const { data } = await call(() =>
        api.POST("/api/bff/offers/media", { body: { file: "" }, bodySerializer: () => form }),
      );
      this.image = { kept: data.urlImage, seen: data.previewUrl };
    });
  }
}

function emptyValues() {
  return { name: "", description: "", price: "", min: "", max: "", amounts: "", days: "1095", usage: "BOTH" };
}

/** @param {number} units @param {string} currency */
function typed(units, currency) {
  const minor = toMinor(units, currency);
  return minor === null ? String(units) : typedAmount(minor, currency);
}

/** @param {string} text @param {string} currency @returns {number[] | null} in currency units */
function amountsOf(text, currency) {
  const parts = text
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
  const amounts = parts.map((part) => parseAmount(part, currency));
  if (amounts.some((amount) => amount === null || amount === 0)) return null;
  return amounts.map((amount) => Number(fromMinor(amount ?? 0, currency)));
}

customElements.define("offer-page", OfferPage);
