// Business details: the profile that customers and the platform see.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, call } from "../api.js";
import { FormPage } from "../form-page.js";
import { field, fieldOf, focusError, refusal, toast } from "../forms.js";
import { Resource } from "../page.js";
import { bars, head, states } from "../parts.js";
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

  arrive() {
    this.profile.load();
    import("./widget-snippet.js");
  }

  render() {
    return html`${head("Business details", mayChange("portal.information") ? "What customers and the platform see" : "Your role is read-only.")}${states(this.profile, { what: "Business details", skeleton: bars(8), ready: (profile) => this.form(profile) })}`;
  }

  /** @param {Profile} profile */
  form({ company, brand, slug, webshopUrl }) {
    const editable = mayChange("portal.information");
    /** @param {string} name @param {string} label @param {string} value */
    const one = (name, label, value) =>
      field({
        name,
        label,
        value: this.changes[name] ?? value,
        error: this.errors[name],
        readonly: !editable,
        maxlength: 1000,
        oninput: (text) => this.set(name, text, value),
        onleave: () => this.check(name),
      });
    return html`<form novalidate @submit=${this.save}>
        <section class="panel">
          <header><h2>Company</h2></header>
          <div class="form">
            <div class="two">
              ${COMPANY.map(([name, label]) => one(name, label, company[name]))}
              ${editable ? field({ name: "timeZone", label: "Time zone", value: this.changes.timeZone ?? company.timeZone, options: zones(company.timeZone), oninput: (text) => this.set("timeZone", text, company.timeZone) }) : one("timeZone", "Time zone", company.timeZone)}
            </div>
            <dl class="pairs">
              <div>
                <dt>Country</dt>
                <dd>${countryName(company.country)}</dd>
              </div>
              <div>
                <dt>Currency</dt>
                <dd>${company.currency}</dd>
              </div>
              <div>
                <dt>Address</dt>
                <dd class="wrap" dir="auto">
                  ${[company.legalAddress.line1, company.legalAddress.postalCode, company.legalAddress.city].filter(Boolean).join(", ") || "–"}
                </dd>
              </div>
              <div>
                <dt>Shop</dt>
                <dd class="wrap">
                  ${store.session?.merchant?.status === "ACTIVE" && webshopUrl ? html`<a href=${webshopUrl} target="_blank" rel="noopener">${slug}</a>` : slug}
                </dd>
              </div>
            </dl>
          </div>
        </section>
        <section class="panel">
          <header><h2>Brand</h2></header>
          <div class="form">
            <div class="two">${BRAND.map(([name, label]) => one(name, label, brand[name]))}</div>
            <dl class="pairs">
              ${SHOWN.filter(([name]) => brand[name]).map(
                ([name, label]) =>
                  html`<div>
                    <dt>${label}</dt>
                    <dd class="wrap" dir="auto">${brand[name]}</dd>
                  </div>`,
              )}
            </dl>
          </div>
        </section>
        ${refusal(this.problem, "The details were not saved. Nothing was changed.")}
        ${editable ? html`<div class="bar"><button class="button primary" aria-busy=${this.busy ? "true" : "false"}>Save</button>${Object.keys(this.changes).length ? html`<span class="muted small">There are changes that are not saved.</span>` : nothing}</div>` : nothing}
      </form>
      <section class="panel in-shop">
        <header><h2>Gift cards in your shop</h2></header>
        <widget-snippet></widget-snippet>
      </section>`;
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
        await call(() => api.PUT("/api/bff/merchant", { body }));
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

  /** @param {unknown} problem */
  markRefused(problem) {
    const name = fieldOf(problem)?.split(".").at(-1);
    if (!name || ![...COMPANY, ...BRAND].some(([known]) => known === name)) return;
    this.errors = { ...this.errors, [name]: "This is not accepted. Check it." };
    focusError(this);
  }
}

/** @param {string} current @returns {readonly (readonly [string, string])[]} */
export function zones(current) {
  const known = Intl.supportedValuesOf("timeZone");
  return [...new Set([...(current ? [current] : []), "UTC", ...known])].map((zone) => [
    zone,
    zone.replaceAll("_", " "),
  ]);
}

/** @param {string} code */
export function countryName(code) {
  try {
    return (code && new Intl.DisplayNames(undefined, { type: "region" }).of(code)) || code || "–";
  } catch {
    return code;
  }
}

customElements.define("business-page", BusinessPage);
