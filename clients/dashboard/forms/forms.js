// Fields of forms, refusals and toasts: what pages share for actions.

import { html, ifDefined, live, nothing } from "/kit/vendor/lit.js";
import { explain, Problem } from "../shell/api.js";
import { certain, isUnknown } from "../shell/change.js";
import { icon } from "../shell/icons.js";

/** What went wrong with an action; empty without a problem. @param {unknown} problem @param {string} what did not happen */
export function refusal(problem, what) {
  return problem
    ? html`<div class="notice bad" role="alert">
        ${icon("warn")}
        <div>
          <b>${certain(problem, what)}</b>
          <p>${explain(problem)} ${isUnknown(problem) ? LOOK : nothing}</p>
        </div>
      </div>`
    : nothing;
}

const LOOK = "Check what the page shows now, or repeat it here.";

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {string} [value]
 * @property {string} [type]
 * @property {unknown} [hint]
 * @property {string} [error]
 * @property {boolean} [required]
 * @property {string} [autocomplete]
 * @property {number} [maxlength]
 * @property {string} [inputmode]
 * @property {readonly (readonly [string, string])[]} [options] a choice of these
 * @property {number} [rows] a text of several lines
 * @property {boolean} [readonly]
 * @property {string} [placeholder]
 * @property {string} [prefix] what stands before every value
 * @property {(value: string) => void} [oninput] without it, what was typed is kept when the form is rendered anew
 * @property {(value: string) => void} [onleave]
 */

/** What a form lacks, by the names of its fields, while they are rendered. @type {Readonly<Record<string, string>>} */
let lacks = {};

/**
 * Renders fields with what they lack, in place of the browser's own bubbles.
 * @template T
 * @param {Readonly<Record<string, string>>} errors
 * @param {() => T} content
 * @returns {T}
 */
export function withErrors(errors, content) {
  lacks = errors;
  try {
    return content();
  } finally {
    lacks = {};
  }
}

/** What the fields of a form lack, by their names. @param {HTMLFormElement} form */
export function lackingIn(form) {
  /** @type {Record<string, string>} */
  const errors = {};
  for (const one of form.querySelectorAll("input, select, textarea")) {
    const control = /** @type {HTMLInputElement} */ (one);
    const { validity, name, type, required, value } = control;
    const label = control.labels?.[0]?.textContent?.trim() || "This";
    if (required && value.trim() === "" && !validity.badInput) errors[name] = `${label} is missing.`;
    else if (!validity.valid) errors[name] = FORMS[type] ?? "This is not accepted. Check it.";
  }
  return errors;
}

/** @type {Readonly<Record<string, string>>} */
const FORMS = {
  email: "Enter an address such as name@example.com.",
  url: "Enter an address that begins with https://",
  date: "Enter a date.",
};

/** A labelled input. @param {Field} given */
export function field(given) {
  const one = { ...given, error: given.error || lacks[given.name] };
  const { name, label, hint, error, prefix } = one;
  const control = one.options ? select(one, one.options) : one.rows ? textarea(one) : input(one);
  const note = error
    ? html`<span class="error" id=${`${name}-error`}>${error}</span>`
    : html`<span class="hint" id=${`${name}-hint`}>${hint}</span>`;
  return html`<div class="field">
    <label for=${name}>${label}</label>
    ${prefix ? html`<span class="prefixed"><span class="muted" dir="ltr">${prefix}</span>${control}</span>` : control}
    ${error || hint ? note : nothing}
  </div>`;
}

/** @param {Field} one */
const noteOf = ({ name, hint, error }) => (error ? `${name}-error` : hint ? `${name}-hint` : undefined);

/** @param {Field} one */
const shownValue = ({ value = "", oninput }) => (oninput ? live(value) : value);

/** @param {((value: string) => void) | undefined} listener */
const withValue = (listener) => (/** @type {Event} */ event) =>
  listener?.(/** @type {HTMLInputElement} */ (event.target).value);

/** @param {Field} one @param {NonNullable<Field["options"]>} options */
function select(one, options) {
  const { name, value = "", required, error, oninput } = one;
  const isChosen = (/** @type {string} */ option) => (oninput ? live(option === value) : option === value);
  return html`<select
    class="input"
    id=${name}
    name=${name}
    ?required=${required}
    aria-describedby=${ifDefined(noteOf(one))}
    aria-invalid=${error ? "true" : "false"}
    @change=${withValue(oninput)}
  >
    ${options.map(([option, word]) => html`<option value=${option} .selected=${isChosen(option)}>${word}</option>`)}
  </select>`;
}

/** @param {Field} one */
function textarea(one) {
  const { name, rows, maxlength, error, oninput, onleave } = one;
  return html`<textarea
    class="input"
    id=${name}
    name=${name}
    rows=${ifDefined(rows)}
    maxlength=${ifDefined(maxlength)}
    aria-describedby=${ifDefined(noteOf(one))}
    aria-invalid=${error ? "true" : "false"}
    @input=${withValue(oninput)}
    @change=${withValue(onleave)}
    .value=${shownValue(one)}
  ></textarea>`;
}

/** @param {Field} one */
function input(one) {
  const { name, type = "text", required, readonly, autocomplete = "off", maxlength, inputmode, placeholder } = one;
  return html`<input
    class="input"
    id=${name}
    name=${name}
    type=${type}
    ?required=${required}
    ?readonly=${readonly}
    autocomplete=${autocomplete}
    maxlength=${ifDefined(maxlength)}
    inputmode=${ifDefined(inputmode)}
    placeholder=${ifDefined(placeholder)}
    aria-describedby=${ifDefined(noteOf(one))}
    aria-invalid=${one.error ? "true" : "false"}
    @input=${withValue(one.oninput)}
    @change=${withValue(one.onleave)}
    .value=${shownValue(one)}
  />`;
}

/**
 * The button that sends a form. While it is busy, it says so.
 * @param {unknown} word
 * @param {boolean} busy
 * @param {{tone?: "primary" | "danger" | "final" | "", wide?: boolean}} [look]
 */
export function submitButton(word, busy, { tone = "primary", wide = false } = {}) {
  return html`<button class="button ${tone} ${wide ? "wide" : ""}" aria-busy=${busy ? "true" : "false"}>
    ${word}
  </button>`;
}

/**
 * What has to be corrected, with links to the fields. One error needs no list: the focus is on its field.
 * @param {Readonly<Record<string, string | undefined>>} errors by the id of the field
 * @param {Readonly<Record<string, string>>} names
 */
export function errorSummary(errors, names) {
  const fields = Object.keys(names).filter((name) => errors[name]);
  if (fields.length < 2) return nothing;
  /** @param {Event} event @param {string} name */
  const focus = (event, name) => {
    event.preventDefault();
    document.getElementById(name)?.focus();
  };
  return html`<div class="notice bad" role="alert">
    ${icon("warn")}
    <div>
      <b>${fields.length} fields need attention</b>
      <ul>
        ${fields.map(
          (name) =>
            html`<li>
              <a href=${`#${name}`} @click=${(/** @type {Event} */ event) => focus(event, name)}>${names[name]}</a>:
              ${errors[name]}
            </li>`,
        )}
      </ul>
    </div>
  </div>`;
}

/**
 * The field that a refusal is about, such as "legalAddress.city".
 * @param {unknown} problem
 */
export function fieldOf(problem) {
  return problem instanceof Problem && problem.status === 400
    ? (/^([\w.[\]]+): /.exec(problem.message)?.[1] ?? null)
    : null;
}

/** Moves the focus to the first field with an error. @param {ParentNode} form */
export function focusError(form) {
  requestAnimationFrame(() => {
    const first = form.querySelector("[aria-invalid='true']");
    if (first instanceof HTMLElement) first.focus();
  });
}

/** @param {HTMLFormElement} form */
export function valuesOf(form) {
  /** @type {Record<string, string>} */
  const values = {};
  for (const [name, value] of new FormData(form)) if (typeof value === "string") values[name] = value.trim();
  return values;
}

/** Says that something succeeded which could be missed. @param {string} text */
export function toast(text) {
  let place = document.querySelector("#toasts");
  if (!place) {
    place = document.createElement("div");
    place.id = "toasts";
    place.setAttribute("role", "status");
    document.body.append(place);
  }
  const note = document.createElement("div");
  note.className = "toast";
  note.textContent = text;
  place.replaceChildren(note);
  setTimeout(() => note.remove(), 5000);
}
