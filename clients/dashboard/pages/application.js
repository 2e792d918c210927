// The application to the platform: a form that saves drafts; once it is sent, a timeline.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatTime } from "/kit/time.js";
import { api, call, explain } from "../api.js";
import { icon } from "../icons.js";
import { Page, Resource } from "../page.js";
import { confirm, field, fieldOf, focusError, refusal } from "../forms.js";
import { bars, head, states } from "../parts.js";
import { go } from "../router.js";
import { isApplying, isWaiting, mayChange, store } from "../store.js";

/** @typedef {import("../store.js").Schemas} Schemas */

const SAVE_AFTER_MS = 1000;
/** Required fields with what is missing without them. @type {[string, string, string][]} */
const REQUIRED = [
  ["registrationNumber", "Registration number", "Enter the registration number."],
  ["vatNumber", "VAT number", "Enter the VAT number."],
  ["line1", "Street and number", "Enter the street."],
  ["postalCode", "Postal code", "Enter the postal code."],
  ["city", "City", "Enter the city."],
  ["country", "Country", "Enter the country."],
  ["director", "A director", "Name at least one director."],
  ["terms", "The terms", "Accept the terms."],
  ["privacy", "The privacy notice", "Accept the privacy notice."],
];
const DOCUMENTS = /** @type {const} */ ([
  ["REGISTRATION", "Registration certificate"],
  ["BANK_STATEMENT", "Bank statement"],
  ["IDENTITY", "Proof of identity"],
  ["OTHER", "Another document"],
]);

class ApplicationPage extends Page {
  /** @type {Record<string, string>} */
  values = {};
  /** @type {{name: string, role: string}[]} */
  directors = [{ name: "", role: "" }];
  /** @type {{type: string, url: string, name: string}[]} */
  documents = [];
  terms = false;
  privacy = false;
  documentType = "REGISTRATION";
  /** @type {Record<string, string>} */
  errors = {};
  saved = "";
  busy = "";
  /** @type {unknown} */
  problem = null;
  edited = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;

  profile = new Resource(this, async () => {
    const profile = await call(() => api.GET("/api/bff/merchant"));
    if ("meta" in profile) throw new Error("The user has no merchant");
    this.fill(profile.data);
    return profile.data;
  });

  arrive() {
    if (!isApplying() && !isWaiting()) return go("/overview", { replace: true });
    if (!this.profile.data) this.profile.load();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    if (this.timer) this.saveDraft();
  }

  /** @param {Schemas["Profile"]} profile */
  fill({ company, kyb }) {
    this.values = {
      tradingName: company.tradingName,
      registrationNumber: kyb.registrationNumber,
      vatNumber: kyb.vatNumber,
      currency: company.currency,
      locations: company.numberOfLocations ? String(company.numberOfLocations) : "",
      line1: kyb.legalAddress.line1,
      city: kyb.legalAddress.city,
      state: kyb.legalAddress.state,
      postalCode: kyb.legalAddress.postalCode,
      country: kyb.legalAddress.country || company.country,
    };
    if (kyb.directors.length) this.directors = kyb.directors.map(({ name = "", role = "" }) => ({ name, role }));
    this.documents = kyb.documents.map(({ type = "", url = "", name = "" }) => ({ type, url, name }));
  }

  render() {
    if (isWaiting())
      return html`${head("Application", "Sent. You can close this page.")}${states(this.profile, { what: "The application", skeleton: bars(4), ready: (profile) => timeline(profile.company) })}`;
    const missing = this.missing();
    const note =
      store.session?.merchant?.status === "WAITING_FOR_INFO"
        ? "The platform needs more information. Complete it and send it again."
        : "Tell the platform about your business. Drafts are saved as you type.";
    return html`${head("Application", note, html`<span class="muted small" role="status">${this.saved}</span>`)}
    ${states(this.profile, {
      what: "The application",
      skeleton: bars(10),
      ready: () =>
        html`<div class="beside start">
          ${this.form()}
          <aside class="panel" aria-label="What is missing">
            <header><h2>${missing.length ? "Still missing" : "Complete"}</h2></header>
            ${
              missing.length
                ? html`<ul class="inset todo">
                    ${missing.map(([name, word]) => html`<li><button class="link" type="button" @click=${() => this.focusField(name)}>${word}</button></li>`)}
                  </ul>`
                : html`<p class="none muted">Everything is there. Send it now.</p>`
            }
          </aside>
        </div>`,
    })}`;
  }

  form() {
    const editable = mayChange("portal.information") || store.session?.role !== "VIEWER";
    /** @param {string} name @param {string} label @param {object} [options] */
    const one = (name, label, options = {}) =>
      field({
        name,
        label,
        value: this.values[name] ?? "",
        error: this.errors[name],
        readonly: !editable,
        oninput: (value) => this.set(name, value),
        onleave: () => this.check(name),
        ...options,
      });
    return html`<form novalidate @submit=${this.submit}>
      <section class="panel">
        <header><h2>Company</h2></header>
        <div class="form">
          <div class="two">
            ${one("tradingName", "Trading name")}${one("registrationNumber", "Registration number")}${one("vatNumber", "VAT number")}
            ${one("currency", "Currency", { options: currencies(this.values.currency ?? "") })}${one("locations", "Number of locations", { inputmode: "numeric" })}
          </div>
        </div>
      </section>
      <section class="panel">
        <header><h2>Registered address</h2></header>
        <div class="form">
          ${one("line1", "Street and number", { autocomplete: "address-line1" })}
          <div class="two">
            ${one("postalCode", "Postal code", { autocomplete: "postal-code" })}${one("city", "City", { autocomplete: "address-level2" })}${one("state", "State or province (optional)", { autocomplete: "address-level1" })}${one("country", "Country", { maxlength: 2, hint: "Two letters, such as NO", autocomplete: "country" })}
          </div>
        </div>
      </section>
      <section class="panel">
        <header><h2>Directors</h2></header>
        <div class="form">
          ${this.directors.map(
            (director, i) =>
              html`<div class="two">
                ${field({ name: i === 0 ? "director" : `director-${i}`, label: `Name${i ? ` of director ${i + 1}` : ""}`, value: director.name, error: i === 0 ? this.errors.director : undefined, oninput: (value) => this.setDirector(i, { name: value }) })}
                ${field({ name: `role-${i}`, label: `Role${i ? ` of director ${i + 1}` : ""}`, value: director.role, oninput: (value) => this.setDirector(i, { role: value }) })}
              </div>`,
          )}
          <div>
            <button
              class="button"
              type="button"
              @click=${() => {
                this.directors = [...this.directors, { name: "", role: "" }];
                this.requestUpdate();
              }}
            >
              Add a director
            </button>
          </div>
        </div>
      </section>
      <section class="panel">
        <header><h2>Documents</h2></header>
        <div class="form">
          ${
            this.documents.length
              ? html`<ul class="rows flush">
                  ${this.documents.map(
                    (document, i) =>
                      html`<li>
                        <span class="two-lines grow"
                          ><b class="wrap" dir="auto">${document.name || "Document"}</b
                          ><span class="small muted"
                            >${DOCUMENTS.find(([type]) => type === document.type)?.[1] ?? document.type}</span
                          ></span
                        >
                        <span class="actions"
                          ><button
                            class="button"
                            type="button"
                            aria-label=${`Open ${document.name}`}
                            @click=${() => this.openDocument(document.url)}
                          >
                            Open</button
                          ><button
                            class="button"
                            type="button"
                            aria-label=${`Remove ${document.name}`}
                            @click=${() => {
                              this.documents = this.documents.filter((_, other) => other !== i);
                              this.touch();
                            }}
                          >
                            Remove
                          </button></span
                        >
                      </li>`,
                  )}
                </ul>`
              : nothing
          }
          <div class="two">
            ${field({
              name: "document-type",
              label: "Kind of document",
              value: this.documentType,
              options: DOCUMENTS,
              oninput: (value) => {
                this.documentType = value;
              },
            })}
            <div class="field">
              <label for="document">File</label
              ><input
                id="document"
                type="file"
                accept="application/pdf,image/png,image/jpeg"
                @change=${this.upload}
                aria-describedby="document-hint"
              /><span class="hint" id="document-hint" role="status"
                >${this.busy === "document" ? "The file is being stored." : "PDF, PNG or JPEG, at most 4 MB"}</span
              >${this.errors.document ? html`<span class="error" role="alert">${this.errors.document}</span>` : nothing}
            </div>
          </div>
        </div>
      </section>
      <section class="panel">
        <div class="form">
          ${this.consent("terms", "I accept the terms of the platform.")}${this.consent("privacy", "I accept the privacy notice.")}
          ${refusal(this.problem, "The application was not sent. What you typed is kept.")}
          <div class="bar">
            <button class="button primary" aria-busy=${this.busy === "submit" ? "true" : "false"}>
              Send the application
            </button>
            ${store.session?.merchant?.status === "DRAFT" && store.session.role === "ADMIN" ? html`<button class="button quiet" type="button" @click=${this.discard}>Delete it</button>` : nothing}
          </div>
        </div>
      </section>
    </form>`;
  }

  /** @param {"terms" | "privacy"} name @param {string} text */
  consent(name, text) {
    return html`<div>
      <label class="check"
        ><input
          type="checkbox"
          id=${name}
          .checked=${this[name]}
          aria-invalid=${this.errors[name] ? "true" : "false"}
          aria-describedby=${this.errors[name] ? `${name}-error` : nothing}
          @change=${(/** @type {Event} */ event) => {
            this[name] = /** @type {HTMLInputElement} */ (event.target).checked;
            this.check(name);
          }}
        /><span>${text}</span></label
      >${this.errors[name] ? html`<span class="field"><span class="error" id=${`${name}-error`}>${this.errors[name]}</span></span>` : nothing}
    </div>`;
  }

  /** @param {string} name */
  isMissing(name) {
    if (name === "director") return !this.directors.some((director) => director.name.trim());
    if (name === "terms" || name === "privacy") return !this[name];
    return !this.values[name]?.trim();
  }

  missing() {
    return REQUIRED.filter(([name]) => this.isMissing(name));
  }

  /** @param {string} name */
  focusField(name) {
    const input = this.querySelector(`#${name}`);
    if (input instanceof HTMLElement) input.focus();
  }

  /** @param {string} name @param {string} value */
  set(name, value) {
    this.values = { ...this.values, [name]: value };
    this.touch();
  }

  /** @param {number} index @param {Partial<{name: string, role: string}>} changes */
  setDirector(index, changes) {
    this.directors = this.directors.map((director, i) => (i === index ? { ...director, ...changes } : director));
    this.touch();
  }

  /** Something was typed: saves soon. */
  touch() {
    this.edited++;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.saveDraft(), SAVE_AFTER_MS);
    for (const name of Object.keys(this.errors)) if (name !== "document") this.check(name);
    this.requestUpdate();
  }

  /** @param {string} name */
  check(name) {
    const required = REQUIRED.find(([one]) => one === name);
    const value = (this.values[name] ?? "").trim();
    const error =
      required && this.edited && this.isMissing(name)
        ? required[2]
        : name === "locations" && value !== "" && !/^\d{1,6}$/.test(value)
          ? "Enter a whole number."
          : name === "country" && value !== "" && !/^[A-Za-z]{2}$/.test(value)
            ? "Enter two letters, such as NO."
            : "";
    const { [name]: _, ...others } = this.errors;
    this.errors = error ? { ...others, [name]: error } : others;
    this.requestUpdate();
  }

  /** @returns {Schemas["Application"]} */
  body() {
    const { tradingName, registrationNumber, vatNumber, currency, locations, line1, city, state, postalCode, country } =
      this.values;
    return {
      tradingName,
      registrationNumber,
      vatNumber,
      ...(currency && { currency }),
      ...(/^\d{1,6}$/.test(locations ?? "") && { numberOfLocations: locations }),
      legalAddress: {
        line1,
        city,
        state,
        postalCode,
        ...(/^[A-Za-z]{2}$/.test(country ?? "") && { country: country?.toUpperCase() }),
      },
      directors: this.directors.filter((director) => director.name.trim()),
      documents: this.documents,
    };
  }

  async saveDraft() {
    clearTimeout(this.timer);
    this.timer = undefined;
    const version = this.edited;
    try {
      await call(() => api.POST("/api/onboarding/submit", { body: { ...this.body(), isDraft: true } }));
      if (version === this.edited) this.saved = `Saved at ${formatTime(Date.now(), store.timeZone)}`;
    } catch (problem) {
      this.saved = `Not saved. ${explain(problem)}`;
    }
    this.requestUpdate();
  }

  /** @param {SubmitEvent} event */
  async submit(event) {
    event.preventDefault();
    if (this.busy) return;
    this.edited++;
    for (const [name] of REQUIRED) this.check(name);
    this.check("locations");
    if (Object.keys(this.errors).some((name) => name !== "document")) return focusError(this);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.busy = "submit";
    this.problem = null;
    this.requestUpdate();
    try {
      await call(() =>
        api.POST("/api/onboarding/submit", {
          body: { ...this.body(), isDraft: false, termsAccepted: true, privacyAccepted: true },
        }),
      );
      dispatchEvent(new Event("session-changed"));
    } catch (problem) {
      const name = fieldOf(problem)?.split(".").at(-1);
      if (name && name in this.values) this.errors = { ...this.errors, [name]: "This is not accepted. Check it." };
      this.problem = problem;
      focusError(this);
    }
    this.busy = "";
    this.requestUpdate();
  }

  /** @param {Event} event */
  async upload(event) {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const file = input.files?.[0];
    if (!file) return;
    const { document: _, ...others } = this.errors;
    this.errors = others;
    this.busy = "document";
    this.requestUpdate();
    const form = new FormData();
    form.set("file", file);
    try {
      if (file.size > 4 * 1024 * 1024) throw new RangeError("too large");
      const { url, originalName } = await call(() =>
        api.POST("/api/onboarding/upload", { body: { file: "" }, bodySerializer: () => form }),
      );
      this.documents = [...this.documents, { type: this.documentType, url, name: originalName }];
      input.value = "";
      this.touch();
    } catch (problem) {
      this.errors = {
        ...this.errors,
        document:
          problem instanceof RangeError
            ? "The file is too large. Choose one of at most 4 MB."
            : `The file was not stored. ${explain(problem)}`,
      };
    }
    this.busy = "";
    this.requestUpdate();
  }

  /** @param {string} url */
  async openDocument(url) {
    const tab = open("about:blank"); // before the request: a window that opens later is blocked
    try {
      const answer = await call(() => api.GET("/api/onboarding/document", { params: { query: { url } } }));
      if (tab) {
        tab.opener = null;
        tab.location.replace(answer.url);
      }
    } catch (problem) {
      tab?.close();
      this.errors = { ...this.errors, document: `The file could not be opened. ${explain(problem)}` };
      this.requestUpdate();
    }
  }

  async discard() {
    const name = store.session?.merchant?.name ?? "the business";
    const done = await confirm({
      title: `Delete ${name}?`,
      text: "The draft is gone and its address is free again. This cannot be taken back.",
      verb: `Delete ${name}`,
      failed: "It was not deleted. Nothing was changed.",
      act: () => call(() => api.DELETE("/api/auth/merchant")),
    });
    if (!done) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    go("/start", { replace: true });
    dispatchEvent(new Event("session-changed"));
  }
}

/** @param {Schemas["Company"]} company */
function timeline(company) {
  const at = ["SUBMITTED", "KYB_IN_PROGRESS", "DECISION_PENDING"].indexOf(company.status);
  const link = company.verifierSessionUrl;
  const steps = [
    ["Sent", "The platform has your application."],
    [
      "Verification",
      at <= 1
        ? html`The directors prove who they are.
          ${link ? html`<a href=${link} target="_blank" rel="noopener">Go on with the verification</a>` : "The link comes by mail."}`
        : "The directors proved who they are.",
    ],
    ["Decision", at === 2 ? "The platform decides. This can take a few working days." : "Then the platform decides."],
    ["Open", "Your shop opens and tills can be paired."],
  ];
  const now = Math.max(1, at);
  return html`<section class="panel">
    <ol class="timeline">
      ${steps.map(
        ([title, text], i) =>
          html`<li class=${i < now ? "past" : i === now ? "now" : ""} aria-current=${i === now ? "step" : nothing}>
            ${icon(i < now ? "done" : "info")}
            <div>
              <b>${title}</b>
              <p class="muted">${text}</p>
            </div>
          </li>`,
      )}
    </ol>
  </section>`;
}

/** @param {string} current @returns {readonly (readonly [string, string])[]} */
export function currencies(current) {
  const names = new Intl.DisplayNames(undefined, { type: "currency" });
  const codes = new Set([...(current ? [current] : []), "EUR", ...Intl.supportedValuesOf("currency")]);
  return [...codes].map((code) => [code, `${code} ${names.of(code) ?? ""}`]);
}

customElements.define("application-page", ApplicationPage);
