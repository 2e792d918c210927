// What an administrator does with a payout: opens its file, marks it as paid, or cancels it.

import { html } from "/kit/vendor/lit.js";
import { api, call } from "../shell/api.js";
import { change } from "../shell/change.js";
import { maxLength } from "../forms/bounds.js";
import { actionDialog } from "../forms/dialogs.js";
import { field, toast } from "../forms/forms.js";
import { askWithReason } from "../forms/reason-dialog.js";
import { offerFile } from "../payouts/payout-file.js";
import { codedAmount } from "./payout-words.js";

/** @typedef {import("../shell/store.js").Schemas["Payout"]} Payout */

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

/** @param {Payout} payout */
export function openFile({ id }) {
  const params = { path: { id } };
  const load = async () => (await call(() => api.GET("/api/admin/payouts/{id}/file", { params }))).data;
  return offerFile("Settlements of the payout", load);
}
