// Business details: the profile that customers and the platform see.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, call } from "../api.js";
import { carryOut } from "../change.js";
import { FormPage } from "../form-page.js";
import { field, fieldOf, focusError, refusal, submitButton, toast } from "../forms.js";
import { Resource } from "../page.js";
import { bars, head, states } from "../parts.js";
import { countryName, zones } from "../regions.js";
import { mayChange, store } from "../store.js";

/** @typedef {import("../store.js").Schemas["Profile"]} Profile */

const COMPANY = /** @type {const} */ ([
  ["tradeName", "Name of the business"],
  ["legalName", "Legal name"],
  ["orgNumber", "Registration number"],
  ["taxNumber", "VAT number"],
]);
const BRAND = /** @type {const} */ ([
  ["website", "Website"],
  ["logoUrl", "Address of the logo"],
]);
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
  /** What was changed and not saved. @type {Record<string, string>} */
  changes = {};
  /** @type {Record<string, string>} */
  errors = {};

  get changed() {
    return Object.keys(this.changes).length > 0;
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
    return html`<form novalidate @submit=${this.save}>
        <div class="halves">${this.companyPanel(profile)} ${this.brandPanel(profile)}</div>
        ${refusal(this.problem, "The details were not saved. Nothing was changed.")}
        ${mayChange("portal.information") ? this.actions() : nothing}
      </form>
      <section class="panel in-shop">
        <header><h2 id="in-shop" tabindex="-1">Gift cards in your shop</h2></header>
        <widget-snippet></widget-snippet>
      </section>`;
  }

  /** @param {string} name @param {string} label @param {string} value as it is saved @param {object} [options] */
  field(name, label, value, options = {}) {
    return field({
      name,
      label,
      value: this.changes[name] ?? value,
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
    const zoneOptions = mayChange("portal.information") ? { options: zones(timeZone) } : {};
    const address = [legalAddress.line1, legalAddress.postalCode, legalAddress.city].filter(Boolean).join(", ") || "–";
    const isOpen = store.session?.merchant?.status === "ACTIVE" && webshopUrl;
    const shop = isOpen ? html`<a href=${webshopUrl} target="_blank" rel="noopener">${slug}</a>` : slug;
    return html`<section class="panel">
      <header><h2>Company</h2></header>
      <div class="form">
        <div class="two">
          ${COMPANY.map(([name, label]) => this.field(name, label, company[name]))}
          ${this.field("timeZone", "Time zone", timeZone, zoneOptions)}
        </div>
        <dl class="pairs">
          ${pair("Country", countryName(company.country))} ${pair("Currency", company.currency)}
          ${pair("Address", address)} ${pair("Shop", shop)}
        </dl>
        <p class="small muted">Only the platform can change these.</p>
      </div>
    </section>`;
  }

  /** @param {Profile} profile */
  brandPanel({ brand }) {
    const shown = SHOWN.filter(([name]) => brand[name]);
    return html`<section class="panel">
      <header><h2>Brand</h2></header>
      <div class="form">
        <div class="two">${BRAND.map(([name, label]) => this.field(name, label, brand[name]))}</div>
        <dl class="pairs">${shown.map(([name, label]) => pair(label, brand[name]))}</dl>
      </div>
    </section>`;
  }

  actions() {
    return html`<div class="bar">
      ${submitButton("Save", this.busy === "save")}
      ${this.changed && !this.problem ? html`<span class="muted small">There are changes that are not saved.</span>` : nothing}
    </div>`;
  }

  /** @param {string} name @param {string} value @param {string} saved */
  set(name, value, saved) {
    const { [name]: _, ...others } = this.changes;
    this.changes = value === saved ? others : { ...others, [name]: value };
    if (this.errors[name]) this.check(name);
    this.requestUpdate();
  }

  /** @param {string} name */
  check(name) {
    const value = this.changes[name]?.trim();
    const { [name]: _, ...others } = this.errors;
    const error =
      value === undefined
        ? ""
        : name === "tradeName" && value === ""
          ? "Enter a name."
          : name === "logoUrl" && value !== "" && !/^https?:\/\/\S+$/i.test(value)
            ? "Enter an address that begins with https://"
            : "";
    this.errors = error ? { ...others, [name]: error } : others;
    this.requestUpdate();
  }

  /** @param {SubmitEvent} event */
  async save(event) {
    event.preventDefault();
    if (this.busy) return;
    for (const name of Object.keys(this.changes)) this.check(name);
    if (Object.keys(this.errors).length) return focusError(this);
    /** @param {readonly (readonly [string, string])[]} fields */
    const changed = (fields) =>
      Object.fromEntries(
        fields.flatMap(([name]) =>
          this.changes[name] === undefined ? [] : [[name, this.changes[name]?.trim() ?? ""]],
        ),
      );
    const body = { company: changed([...COMPANY, ["timeZone", ""]]), brand: changed(BRAND) };
    await this.run("save", async () => {
      try {
        await carryOut(
          () => api.PUT("/api/bff/merchant", { body }),
          () => this.isSaved(),
        );
      } catch (problem) {
        this.markRefused(problem);
        throw problem;
      }
      await this.profile.load();
      this.changes = {};
      toast("The details were saved.");
      dispatchEvent(new Event("session-changed")); // the name or the time zone may be another one
    });
  }

  /** Whether what was changed is there. */
  async isSaved() {
    await this.profile.load();
    const { company, brand } = this.profile.data ?? {};
    /** @type {Record<string, unknown>} */
    const saved = { ...company, ...brand };
    return !this.profile.problem && Object.entries(this.changes).every(([name, value]) => saved[name] === value.trim());
  }

  /** @param {unknown} problem */
  markRefused(problem) {
    const name = fieldOf(problem)?.split(".").at(-1);
    if (!name || ![...COMPANY, ...BRAND].some(([known]) => known === name)) return;
    this.errors = { ...this.errors, [name]: "This is not accepted. Check it." };
    focusError(this);
  }
}

/** @param {string} name @param {unknown} value */
function pair(name, value) {
  return html`<div>
    <dt>${name}</dt>
    <dd dir="auto">${value}</dd>
  </div>`;
}

customElements.define("business-page", BusinessPage);
