// Codes that are mailed: eight characters, shown as ABCD-EFGH. Case, spaces and dashes do not matter.

import { html, nothing } from "/kit/vendor/lit.js";

/** @param {string} text */
export function normalizeCode(text) {
  const plain = text
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, "")
    .slice(0, 8);
  return plain.length > 4 ? `${plain.slice(0, 4)}-${plain.slice(4)}` : plain;
}

/** @param {string} code as normalized */
export const isWhole = (code) => code.length === 9;

/**
 * The last character of a code submits its form.
 * @param {{code: string, error: string, busy?: boolean, changed: (code: string) => void}} field
 */
export function codeField({ code, error, busy = false, changed }) {
  /** @param {Event} event */
  function typed(event) {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const next = normalizeCode(input.value);
    if (input.selectionStart === input.value.length) input.value = next; // never while somebody corrects the middle
    changed(next);
    if (isWhole(next)) input.form?.requestSubmit();
  }
  return html`<div class="field">
    <label for="code">Code</label>
    <input
      class="input code mono"
      id="code"
      name="code"
      autocomplete="one-time-code"
      autocapitalize="characters"
      spellcheck="false"
      maxlength="20"
      placeholder="ABCD-EFGH"
      dir="ltr"
      aria-describedby=${error ? "code-error" : nothing}
      aria-invalid=${error ? "true" : "false"}
      .value=${code}
      @input=${typed}
      ?readonly=${busy}
    />
    ${error ? html`<span class="error" id="code-error" role="alert">${error}</span>` : nothing}
  </div>`;
}
