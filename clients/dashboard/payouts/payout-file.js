// The file of a payout's settlements.

import { html, nothing } from "/kit/vendor/lit.js";
import { dialog } from "../forms/dialogs.js";
import { refusal } from "../forms/forms.js";

/**
 * Asks for a link to a file and offers it.
 * @param {string} title
 * @param {() => Promise<{url: string}>} load
 */
export function offerFile(title, load) {
  /** @type {string | null} */
  let url = null;
  /** @type {unknown} */
  let problem = null;
  let asked = false;
  return dialog(title, (close, draw) => {
    if (!asked) {
      asked = true;
      load()
        .then(
          (file) => (url = file.url),
          (failure) => (problem = failure),
        )
        .finally(draw);
    }
    return html`${fileState(url, problem)}
      <footer>
        <button class="button" type="button" @click=${() => close()}>Close</button>
        ${url ? html`<a class="button primary" href=${url} download>Download</a>` : nothing}
      </footer>`;
  });
}

/** @param {string | null} url @param {unknown} problem */
function fileState(url, problem) {
  if (problem) return refusal(problem, "There is no file.");
  return html`<p role="status">
    ${url ? "A CSV file of its settlements. The link works for 10 minutes." : "One moment"}
  </p>`;
}
