// Making, rotating and revoking a key. Its secret is shown once.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, explain } from "../shell/api.js";
import { change } from "../shell/change.js";
import { creator } from "../shell/creator.js";
import { actionDialog, confirm, dialog, STAY } from "../forms/dialogs.js";
import { field, fieldOf } from "../forms/forms.js";
import { checklist } from "../team/powers-field.js";
import { showOnce } from "./secret-dialog.js";

/** @typedef {import("./keys.js").ListedKey} ListedKey */
/** @typedef {import("../shell/store.js").Schemas["KeyWithText"]} Made */
/** @typedef {{name?: string, permissions?: string}} Errors */

const LIFETIMES = /** @type {const} */ ([
  ["30", "30 days"],
  ["90", "90 days"],
  ["180", "180 days"],
  ["366", "A year"],
]);
const OVERLAPS = /** @type {const} */ ([
  ["24", "24 hours"],
  ["168", "7 days"],
  ["0", "It ends immediately"],
]);

/** Resolves to whether there may be a new key, once its secret was shown. */
export async function createKey() {
  const create = creator();
  /** @type {Set<string>} */
  const chosen = new Set();
  /** @type {Errors} */
  let errors = {};
  const made = await actionDialog({
    title: "New key",
    verb: "Create the key",
    failed: "No key was created.",
    content: (draw) => keyFields(chosen, errors, draw),
    act: async ({ name = "", readOnly, days = "180" }) => {
      errors = chosen.size === 0 ? { permissions: "Choose at least one permission." } : {};
      if (errors.permissions) throw STAY;
      const body = { name, permissions: [...chosen], readOnly: readOnly === "on", expiresInDays: Number(days) };
      try {
        return (await create((params) => api.POST("/api/auth/keys", { params, body }))).data;
      } catch (problem) {
        if (fieldOf(problem) !== "name") throw problem;
        errors = { name: explain(problem) };
        throw STAY;
      }
    },
  });
  if (made) await showKey(made);
  return made !== undefined;
}

/** @param {Set<string>} chosen @param {Errors} errors @param {() => void} draw */
function keyFields(chosen, errors, draw) {
  return html`<div class="stack">
    ${field({ name: "name", label: "Name", required: true, maxlength: 80, hint: "Of the program that uses it, such as Bookkeeping", error: errors.name })}
    ${permissionsField(chosen, errors.permissions, draw)}
    <label class="check">
      <input type="checkbox" name="readOnly" checked />
      <span
        >Only reads<span class="small muted block">It cannot change anything, whatever its permissions are</span></span
      >
    </label>
    ${field({ name: "days", label: "Expires after", value: "180", options: LIFETIMES })}
  </div>`;
}

/** @param {Set<string>} chosen @param {string | undefined} error @param {() => void} draw */
function permissionsField(chosen, error, draw) {
  const toggle = (/** @type {string} */ permission, /** @type {boolean} */ isChosen) =>
    void (isChosen ? chosen.add(permission) : chosen.delete(permission));
  return html`<fieldset class="powers" aria-invalid=${error ? "true" : "false"} tabindex="-1">
    <legend>Permissions</legend>
    ${checklist({ permissions: chosen, toggle }, draw, ["merchant.team.invite"])}
    ${error ? html`<p class="error" role="alert">${error}</p>` : nothing}
  </fieldset>`;
}

/** Resolves to whether there may be another secret, once it was shown. @param {ListedKey} key */
export async function rotateKey({ id, name }) {
  const create = creator();
  const made = await actionDialog({
    title: `Rotate ${name}`,
    verb: "Create a new secret",
    failed: "The key was not rotated. Its current secret still works.",
    content: () =>
      html`<p class="muted">
          The program needs the new secret before the current one ends. You are responsible for the key from now on.
        </p>
        ${field({ name: "overlap", label: "The current secret works for", value: "24", options: OVERLAPS })}`,
    act: async ({ overlap = "24" }) => {
      const body = { overlapHours: Number(overlap) };
      const send = (/** @type {import("../shell/creator.js").KeyParams} */ params) =>
        api.POST("/api/auth/keys/{id}/rotation", { params: { ...params, path: { id } }, body });
      return (await create(send)).data;
    },
  });
  if (made) await showKey(made);
  return made !== undefined;
}

/** @param {ListedKey} key */
export function revokeKey({ id, name }) {
  return confirm({
    title: `Revoke ${name}?`,
    text: "The program that uses it is rejected from its next request on. This cannot be undone.",
    verb: `Revoke ${name}`,
    failed: `${name} was not revoked.`,
    tone: "final",
    act: () => change(() => api.DELETE("/api/auth/keys/{id}", { params: { path: { id } } })),
  });
}

/** @param {Made} made */
function showKey({ name, key }) {
  if (key === null)
    return dialog(
      name,
      (close) =>
        html`<p>The response with the key did not arrive. Rotate it to get a new one.</p>
          <footer><button class="button primary" type="button" @click=${() => close()}>Close</button></footer>`,
    );
  const text = "Your program sends it with each request. Anyone who has it can do what the key allows.";
  return showOnce({ title: `The key of ${name}`, text, label: "Key", secret: key });
}
