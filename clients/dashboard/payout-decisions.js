// What an administrator does with a payout: opens its file, marks it as paid, or cancels it.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, call } from "./api.js";
import { change } from "./change.js";
import { maxLength } from "./bounds.js";
import { actionDialog, dialog } from "./dialogs.js";
import { field, refusal, toast } from "./forms.js";
import { codedAmount } from "./payout-words.js";
import { askWithReason } from "./reason-dialog.js";

/** @typedef {import("./store.js").Schemas["Payout"]} Payout */

/** @param {Payout} payout @param {{status: "PAID", reference: string} | {status: "CANCELLED", reason: string}} body */
export function decidePayout({ id }, body) {
  return change(() => api.PATCH("/api/admin/payouts/{id}", { params: { path: { id } }, body }));
}

/** @param {Payout} payout @returns {Promise<boolean>} */
export async function markAsPaid(payout) {
  const done = await actionDialog({
    title: `Mark ${codedAmount(payout)} as paid`,
    verb: "Mark as paid",
    failed: "Nothing was changed.",
    content: () =>
      html`<p class="muted">
          Do this once the bank has sent the money to ${payout.merchantName || "the merchant"}. This cannot be undone.
        </p>
        ${field({ name: "reference", label: "Reference of the transfer", required: true, maxlength: maxLength.decidePayout.reference })}`,
    act: ({ reference = "" }) => decidePayout(payout, { status: "PAID", reference }),
  });
  if (done) toast("The payout is marked as paid.");
  return done !== undefined;
}

/** @param {Payout} payout */
export function cancelPayout(payout) {
  return askWithReason({
    title: `Cancel the payout of ${codedAmount(payout)}`,
    verb: "Cancel the payout",
    dismiss: "Keep it",
    tone: "danger",
    failed: "Nothing was changed.",
    done: "The payout is cancelled.",
    intro: html`<p class="muted">Its settlements wait for the next run.</p>`,
    act: (_, reason) => decidePayout(payout, { status: "CANCELLED", reason }),
  });
}

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

/** @param {Payout} payout */
export function openFile({ id }) {
  const params = { path: { id } };
  const load = async () => (await call(() => api.GET("/api/admin/payouts/{id}/file", { params }))).data;
  return offerFile("Settlements of the payout", load);
}
