// The form of an application: company, address, directors, documents, consent.

import { html, nothing } from "/kit/vendor/lit.js";
import { config } from "/config.js";
import { chosenFile } from "../forms/files.js";
import { errorSummary, field } from "../forms/forms.js";
import { NAMES } from "./application-values.js";
import { countries, currencies } from "../forms/regions.js";

/** @typedef {import("./application-values.js").ApplicationValues} Values */

const DOCUMENTS = /** @type {const} */ ([
  ["REGISTRATION", "Registration certificate"],
  ["BANK_STATEMENT", "Bank statement"],
  ["IDENTITY", "Proof of identity"],
  ["OTHER", "Another document"],
]);

/**
 * @typedef {object} Form
 * @property {Values} values
 * @property {string} documentType
 * @property {boolean} uploading
 * @property {unknown} documentRefused what could not be done with a document
 * @property {() => void} touched something was typed
 * @property {() => void} draw
 * @property {(type: string) => void} chooseType
 * @property {(file: File) => void} upload
 * @property {(url: string) => void} openDocument
 */

/** @param {Form} form */
export function applicationFields(form) {
  return html`${errorSummary(form.values.errors, NAMES)} ${panel("Company", companyFields(form))}
  ${panel("Registered address", addressFields(form))} ${panel("Directors", directorFields(form))}
  ${panel("Documents", documentFields(form))}`;
}

/** @param {string} title @param {unknown} fields */
function panel(title, fields) {
  return html`<section class="panel">
    <header><h2>${title}</h2></header>
    <div class="form">${fields}</div>
  </section>`;
}

/** @param {Form} form @param {string} name @param {string} label @param {object} [options] */
function one({ values, touched, draw }, name, label, options = {}) {
  return field({
    name,
    label,
    value: values.text[name] ?? "",
    error: values.errors[name],
    oninput: (value) => {
      values.text[name] = value;
      touched();
    },
    onleave: () => {
      values.check(name);
      draw();
    },
    ...options,
  });
}

/** @param {Form} form */
function companyFields(form) {
  return html`<div class="two">
    ${one(form, "tradingName", "Trading name (optional)")} ${one(form, "registrationNumber", "Registration number")}
    ${one(form, "vatNumber", "VAT number")}
    ${one(form, "currency", "Currency", { options: currencies(form.values.text.currency ?? "") })}
    ${one(form, "locations", "Number of locations (optional)", { inputmode: "numeric" })}
  </div>`;
}

/** @param {Form} form */
function addressFields(form) {
  return html`${one(form, "line1", "Street and number", { autocomplete: "address-line1" })}
    <div class="two">
      ${one(form, "postalCode", "Postal code", { autocomplete: "postal-code" })}
      ${one(form, "city", "City", { autocomplete: "address-level2" })}
      ${one(form, "state", "State or province (optional)", { autocomplete: "address-level1" })}
      ${one(form, "country", "Country", { options: countries(form.values.text.country ?? "") })}
    </div>`;
}

/** @param {Form} form */
function directorFields({ values, touched, draw }) {
  const add = () => {
    values.directors.push({ name: "", role: "" });
    draw();
  };
  /** @param {number} i */
  const remove = (i) => {
    values.directors.splice(i, 1);
    touched();
  };
  return html`${values.directors.map((director, i) => directorField({ values, touched, director, i, remove }))}
    <div><button class="button" type="button" @click=${add}>Add a director</button></div>`;
}

/** @param {{values: Values, touched: () => void, director: {name: string, role: string}, i: number, remove: (i: number) => void}} view */
function directorField({ values, touched, director, i, remove }) {
  const which = i ? ` of director ${i + 1}` : "";
  /** @param {"name" | "role"} part */
  const set = (part) => (/** @type {string} */ value) => {
    director[part] = value;
    touched();
  };
  const removal = html`<button
    class="button"
    type="button"
    aria-label=${`Remove director ${i + 1}`}
    @click=${() => remove(i)}
  >
    Remove
  </button>`;
  return html`<div class="two">
      ${field({
        name: i ? `director-${i}` : "director",
        label: `Name${which}`,
        value: director.name,
        error: i ? undefined : values.errors.director,
        oninput: set("name"),
      })}
      ${field({
        name: i ? `role-${i}` : "role",
        label: `Role${which}`,
        value: director.role,
        error: director.name.trim() && !director.role.trim() ? values.errors.role : undefined,
        oninput: set("role"),
      })}
    </div>
    ${i ? html`<div>${removal}</div>` : nothing}`;
}

/** @param {Form} form */
function documentFields(form) {
  const { values, documentType, uploading, documentRefused, chooseType, upload } = form;
  const list = html`<ul class="rows flush">
    ${values.documents.map((document, i) => documentRow(form, document, i))}
  </ul>`;
  const chosen = (/** @type {Event} */ event) => {
    const file = chosenFile(event);
    if (file) upload(file);
  };
  return html`<p class="muted">
      The platform needs a certificate of registration, and a bank statement that shows the account for payouts.
    </p>
    ${values.documents.length ? list : nothing}
    <div class="two">
      ${field({ name: "document-type", label: "Kind of document", value: documentType, options: DOCUMENTS, oninput: chooseType })}
      <div class="field">
        <label for="document">File</label>
        <input
          id="document"
          type="file"
          accept="application/pdf,image/png,image/jpeg"
          @change=${chosen}
          aria-describedby="document-hint"
        />
        <span class="hint" id="document-hint" role="status"
          >${uploading ? "The file is being uploaded." : "PDF, PNG or JPEG, at most 4 MB"}</span
        >
      </div>
    </div>
    ${documentRefused}`;
}

/** @param {Form} form @param {Values["documents"][number]} document @param {number} i */
function documentRow({ values, touched, openDocument }, { name, type, url }, i) {
  const remove = () => {
    values.documents = values.documents.filter((_, other) => other !== i);
    touched();
  };
  return html`<li>
    <span class="two-lines grow"
      ><b class="wrap" dir="auto">${name || "Document"}</b
      ><span class="small muted">${DOCUMENTS.find(([known]) => known === type)?.[1] ?? type}</span></span
    >
    <span class="actions">
      <button class="button" type="button" aria-label=${`Open ${name}`} @click=${() => openDocument(url)}>Open</button>
      <button class="button" type="button" aria-label=${`Remove ${name}`} @click=${remove}>Remove</button>
    </span>
  </li>`;
}

/** @param {Form} form */
export function consents({ values, draw }) {
  /** @param {"terms" | "privacy"} name @param {string} what @param {string | undefined} address */
  const consent = (name, what, address) => {
    const error = values.errors[name];
    /** @param {Event} event */
    const changed = (event) => {
      values.accepted[name] = /** @type {HTMLInputElement} */ (event.target).checked;
      values.check(name);
      draw();
    };
    return html`<div>
      <label class="check">
        <input
          type="checkbox"
          id=${name}
          .checked=${values.accepted[name]}
          aria-invalid=${error ? "true" : "false"}
          aria-describedby=${error ? `${name}-error` : nothing}
          @change=${changed}
        />
        <span>I accept ${address ? html`<a href=${address} target="_blank" rel="noopener">${what}</a>` : what}.</span>
      </label>
      ${error ? html`<span class="field"><span class="error" id=${`${name}-error`}>${error}</span></span>` : nothing}
    </div>`;
  };
  return html`${consent("terms", "the terms of the platform", config.terms)}
  ${consent("privacy", "the privacy notice", config.privacy)}`;
}
