// Fields of forms, refusals and toasts: what pages share for actions.

import { html, ifDefined, live, nothing } from "/kit/vendor/lit.js";
import { explain, Problem } from "./api.js";
import { icon } from "./icons.js";

export { actionDialog, confirm, dialog, STAY } from "./dialogs.js";

/** What went wrong with an action; empty without a problem. @param {unknown} problem @param {string} what did not happen */
export function refusal(problem, what) {
  return problem
    ? html`<div class="notice bad" role="alert">
        ${icon("warn")}
        <div>
          <b>${what}</b>
          <p>${explain(problem)}</p>
        </div>
      </div>`
    : nothing;
}

/**
 * A labelled input.
 * @param {{name: string, label: string, value?: string, type?: string, hint?: unknown, error?: string, required?: boolean, autocomplete?: string, maxlength?: number, inputmode?: string, options?: readonly (readonly [string, string])[], rows?: number, readonly?: boolean, placeholder?: string, oninput?: (value: string) => void, onleave?: (value: string) => void}} field
 */
export function field({
  name,
  label,
  value = "",
  type = "text",
  hint,
  error,
  required,
  autocomplete,
  maxlength,
  inputmode,
  options,
  rows,
  readonly,
  placeholder,
  oninput,
  onleave,
}) {
  const note = error ? `${name}-error` : hint ? `${name}-hint` : undefined;
  const shown = oninput ? live(value) : value; // without a listener, what was typed is kept when the form is rendered anew
  /** @param {Event} event */
  const changed = (event) => oninput?.(/** @type {HTMLInputElement} */ (event.target).value);
  /** @param {Event} event */
  const left = (event) => onleave?.(/** @type {HTMLInputElement} */ (event.target).value);
  const control = options
    ? html`<select
        class="input"
        id=${name}
        name=${name}
        ?required=${required}
        aria-describedby=${ifDefined(note)}
        aria-invalid=${error ? "true" : "false"}
        @change=${changed}
        .value=${shown}
      >
        ${options.map(([option, word]) => html`<option value=${option} ?selected=${option === value}>${word}</option>`)}
      </select>`
    : rows
      ? html`<textarea
          class="input"
          id=${name}
          name=${name}
          rows=${rows}
          maxlength=${ifDefined(maxlength)}
          aria-describedby=${ifDefined(note)}
          aria-invalid=${error ? "true" : "false"}
          @input=${changed}
          @change=${left}
          .value=${shown}
        ></textarea>`
      : html`<input
          class="input"
          id=${name}
          name=${name}
          type=${type}
          ?required=${required}
          ?readonly=${readonly}
          autocomplete=${autocomplete ?? "off"}
          maxlength=${ifDefined(maxlength)}
          inputmode=${ifDefined(inputmode)}
          placeholder=${ifDefined(placeholder)}
          aria-describedby=${ifDefined(note)}
          aria-invalid=${error ? "true" : "false"}
          @input=${changed}
          @change=${left}
          .value=${shown}
        />`;
  return html`<div class="field">
    <label for=${name}>${label}</label>${control}
    ${error ? html`<span class="error" id=${`${name}-error`}>${error}</span>` : hint ? html`<span class="hint" id=${`${name}-hint`}>${hint}</span>` : nothing}
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
