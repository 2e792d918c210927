// Business details: the profile that customers and the platform see. Each panel is saved by itself.

import { parseColor } from "/kit/brand.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { api, call } from "../shell/api.js";
import { carryOut } from "../shell/change.js";
import { Changes } from "../forms/changes.js";
import { FormPage } from "../forms/form-page.js";
import { field, fieldOf, focusError, refusal, submitButton, toast } from "../forms/forms.js";
import { colorField } from "./color-field.js";
import { imageField, storeImage } from "../forms/image-field.js";
import { Resource } from "../shell/page.js";
import { pair } from "../shell/pairs.js";
import { bars, head, states } from "../shell/parts.js";
import { countryName, zones } from "../forms/regions.js";
import { mayChange, store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas["Profile"]} Profile */

const COMPANY = /** @type {const} */ ([
  ["tradeName", "Name of the business"],
  ["legalName", "Legal name"],
  ["orgNumber", "Registration number"],
  ["taxNumber", "VAT number"],
]);
const PANELS = {
  company: [...COMPANY.map(([name]) => name), "timeZone"],
  brand: ["website", "logoUrl", "primaryColor"],
};
/** The API accepts changes of these without keeping them, so that they are only shown. */
const SHOWN = /** @type {const} */ ([
  ["category", "Category"],
  ["descriptor", "Text on card statements"],
  ["facebook", "Facebook"],
  ["instagram", "Instagram"],
  ["twitter", "Twitter"],
]);

class BusinessPage extends FormPage {
  profile = new Resource(this, async () => {
    const profile = await call(() => api.GET("/api/bff/merchant"));
    if ("meta" in profile) throw new Error("The user has no merchant");
    return profile.data;
  });
  changes = new Changes();
  /** @type {Record<string, string>} */
  errors = {};
  /** Where this page sees a logo that was stored. */
  logoSeen = "";

  get changed() {
    return this.changes.any;
  }

  async arrive() {
    import("./widget-snippet.js");
    await this.profile.load();
    if (location.hash === "#in-shop") this.showSnippet();
  }

  async showSnippet() {
    await this.updateComplete;
    const heading = this.querySelector("#in-shop");
    heading?.scrollIntoView();
    if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
  }

  render() {
    const note = mayChange("portal.information") ? "What customers and the platform see" : "Your role is read-only.";
    const ready = (/** @type {Profile} */ profile) => this.view(profile);
    return html`${head("Business details", note)}
    ${states(this.profile, { what: "Business details", skeleton: bars(8), ready })}`;
  }

  /** @param {Profile} profile */
  view(profile) {
    return html`<div class="halves">${this.companyPanel(profile)} ${this.brandPanel(profile)}</div>
      <section class="panel in-shop">
        <header><h2 id="in-shop" tabindex="-1">Gift cards in your shop</h2></header>
        <widget-snippet .color=${parseColor(profile.brand.primaryColor)}></widget-snippet>
      </section>`;
  }

  /** @param {string} name @param {string} label @param {string} value as it is saved @param {object} [options] */
  field(name, label, value, options = {}) {
    return field({
      name,
      label,
      value: this.changes.get(name) ?? value,
      error: this.errors[name],
      readonly: !mayChange("portal.information"),
      maxlength: 1000,
      oninput: (text) => this.set(name, text, value),
      onleave: () => this.check(name),
      ...options,
    });
  }

  /** @param {Profile} profile */
  companyPanel({ company, slug, webshopUrl }) {
    const { timeZone, legalAddress } = company;
    const { line1, postalCode, city } = legalAddress;
    const zoneOptions = mayChange("portal.information") ? { options: zones(timeZone) } : {};
    const address = [line1, [postalCode, city].filter(Boolean).join(" ")].filter(Boolean).join(", ") || "–";
    const isOpen = store.session?.merchant?.status === "ACTIVE" && webshopUrl;
    const shop = isOpen ? html`<a href=${webshopUrl} target="_blank" rel="noopener">${slug}</a>` : slug;
    return html`<section class="panel">
      <header><h2>Company</h2></header>
      <form class="form" novalidate @submit=${(/** @type {SubmitEvent} */ event) => this.save(event, "company")}>
        <div class="two">
          ${COMPANY.map(([name, label]) => this.field(name, label, company[name]))}
          ${this.field("timeZone", "Time zone", timeZone, zoneOptions)}
        </div>
        <dl class="pairs">
          ${pair("Country", countryName(company.country))} ${pair("Currency", company.currency)}
          ${pair("Address", address)} ${pair("Shop", shop)}
        </dl>
        <p class="small muted">Only the platform can change these.</p>
        ${this.actions("company")}
      </form>
    </section>`;
  }

  /** @param {Profile} profile */
  brandPanel({ brand }) {
    const shown = SHOWN.filter(([name]) => brand[name]);
    return html`<section class="panel">
      <header><h2>Brand</h2></header>
      <form class="form" novalidate @submit=${(/** @type {SubmitEvent} */ event) => this.save(event, "brand")}>
        ${this.field("website", "Website", brand.website)} ${this.logo(brand.logoUrl)}
        ${this.color(parseColor(brand.primaryColor) ?? "")}
        ${shown.length ? html`<dl class="pairs">${shown.map(([name, label]) => pair(label, brand[name]))}</dl>` : nothing}
        ${this.actions("brand")}
      </form>
    </section>`;
  }

  /** @param {string} saved */
  logo(saved) {
    const changed = this.changes.get("logoUrl");
    const address = changed ?? saved;
    const image = address
      ? html`<img class="logo" src=${changed ? this.logoSeen : address} alt="Logo of the shop" />`
      : nothing;
    // Whoever may not store images sees the logo.
    if (!mayChange("portal.information") || !mayChange("portal.gift_cards"))
      return address ? html`<div class="field"><span>Logo</span>${image}</div>` : nothing;
    return imageField({
      name: "logoUrl",
      label: "Logo",
      without: "Without one, the shop shows its initials.",
      image: address !== "",
      busy: this.busy === "logo",
      refused: refusal(this.problemOf("logo"), "The logo was not stored."),
      upload: (file) => this.upload(file, saved),
      removeImage: () => this.set("logoUrl", "", saved),
      preview: image,
    });
  }

  /** @param {File} file @param {string} saved */
  async upload(file, saved) {
    await this.run("logo", async () => {
      const { kept, seen } = await storeImage(file);
      this.logoSeen = seen;
      this.set("logoUrl", kept, saved);
    });
  }

  /** @param {string} saved */
  color(saved) {
    return colorField({
      chosen: this.changes.get("primaryColor") ?? saved,
      error: this.errors.primaryColor,
      choose: mayChange("portal.information") ? (color) => this.set("primaryColor", color, saved) : null,
    });
  }

  /** Stands where the change is. @param {"company" | "brand"} panel */
  actions(panel) {
    const failed = refusal(this.problemOf(panel), "The details were not saved. Nothing was changed.");
    if (!PANELS[panel].some((name) => this.changes.get(name) !== undefined)) return failed;
    return html`${failed}
      <div class="bar">
        ${submitButton("Save", this.busy === panel)}
        ${failed === nothing ? html`<span class="muted small">There are unsaved changes.</span>` : nothing}
      </div>`;
  }

  /** @param {string} name @param {string} value @param {string} saved */
  set(name, value, saved) {
    this.changes.set(name, value, saved);
    if (this.errors[name]) this.check(name);
    this.requestUpdate();
  }

  /** @param {string} name */
  check(name) {
    const value = this.changes.get(name)?.trim();
    const { [name]: _, ...others } = this.errors;
    const error = value === undefined ? "" : name === "tradeName" && value === "" ? "Enter a name." : "";
    this.errors = error ? { ...others, [name]: error } : others;
    this.requestUpdate();
  }

  /** @param {SubmitEvent} event @param {"company" | "brand"} panel */
  async save(event, panel) {
    event.preventDefault();
    if (this.busy) return;
    const sent = this.changes.of(PANELS[panel]);
    for (const name of Object.keys(sent)) this.check(name);
    if (Object.keys(sent).some((name) => this.errors[name])) return focusError(this);
    await this.run(panel, async () => {
      try {
        await carryOut(
          () => api.PUT("/api/bff/merchant", { body: { [panel]: sent } }),
          () => this.isSaved(sent),
        );
      } catch (problem) {
        this.markRefused(problem);
        throw problem;
      }
      await this.profile.load();
      this.changes.saved(sent);
      toast("The details were saved.");
      dispatchEvent(new Event("session-changed")); // the name or the time zone may be another one
    });
  }

  /** Whether what was changed is there. @param {Record<string, string>} sent */
  async isSaved(sent) {
    await this.profile.load();
    const { company, brand } = this.profile.data ?? {};
    /** @type {Record<string, unknown>} */
    const saved = { ...company, ...brand };
    return !this.profile.problem && Object.entries(sent).every(([name, value]) => saved[name] === value);
  }

  /** @param {unknown} problem */
  markRefused(problem) {
    const name = fieldOf(problem)?.split(".").at(-1);
    if (!name || !Object.values(PANELS).flat().includes(name)) return;
    this.errors = { ...this.errors, [name]: "This is not accepted. Check it." };
    focusError(this);
  }
}

customElements.define("business-page", BusinessPage);
