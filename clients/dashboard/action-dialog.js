// One helper for dialogs with an action: fields, what it leads to, and a name to type before what cannot be taken back.

import { html, nothing } from "/kit/vendor/lit.js";
import { dialog, field, focusError, refusal, toast, valuesOf } from "./forms.js";

/**
 * @typedef {object} Action
 * @property {string} title names the object
 * @property {string} verb of the button
 * @property {string} [dismiss] the other button's word
 * @property {boolean} [danger]
 * @property {string} failed what did not happen where it is refused
 * @property {string} [done] what is said afterwards
 * @property {unknown} [intro]
 * @property {Consequences | undefined} [consequences]
 * @property {string | undefined} [typed] a name that has to be typed
 * @property {(errors: Record<string, string>) => unknown} [fields]
 * @property {(values: Record<string, string>) => Record<string, string>} [check] errors by field
 * @property {(values: Record<string, string>) => Promise<unknown>} act
 */

/** @typedef {{stops: readonly string[], goesOn: readonly string[]}} Consequences */

/**
 * Opens the dialog. What is refused keeps it open, with all that was typed.
 * @param {Action} action
 * @returns {Promise<boolean>} whether it was done
 */
export async function actionDialog(action) {
  /** @type {Record<string, string>} */
  let errors = {};
  /** @type {unknown} */
  let problem = null;
  let busy = false;
  const done = await dialog(action.title, (/** @type {(done?: boolean) => void} */ close, draw) => {
    /** @param {SubmitEvent} event */
    async function submit(event) {
      event.preventDefault();
      if (busy) return;
      const form = /** @type {HTMLFormElement} */ (event.target);
      const values = valuesOf(form);
      errors = { ...action.check?.(values), ...typedError(action, values) };
      problem = null;
      if (Object.keys(errors).length > 0) {
        draw();
        return focusError(form);
      }
      busy = true;
      draw();
      try {
        await action.act(values);
        close(true);
      } catch (error) {
        problem = error;
      }
      busy = false;
      draw();
    }
    return html`<form novalidate @submit=${submit}>
      ${action.intro ?? nothing}${action.consequences ? consequences(action.consequences) : nothing}
      ${action.fields?.(errors)}${action.typed ? typedField(action.typed, errors.typed) : nothing}
      ${refusal(problem, action.failed)}
      <footer>
        <button class="button" type="button" @click=${() => close(false)}>${action.dismiss ?? "Cancel"}</button>
        <button class="button ${action.danger ? "danger" : "primary"}" aria-busy=${busy ? "true" : "false"}>
          ${action.verb}
        </button>
      </footer>
    </form>`;
  });
  if (done && action.done) toast(action.done);
  return done === true;
}

/** @param {Action} action @param {Record<string, string>} values @returns {Record<string, string>} */
function typedError({ typed }, values) {
  return typed && values.typed !== typed.trim() ? { typed: `Type ${typed} to go on.` } : {};
}

/** @param {string} name @param {string | undefined} error */
function typedField(name, error) {
  return field({ name: "typed", label: `Type ${name}`, error });
}

/** @param {Consequences} consequences */
export function consequences({ stops, goesOn }) {
  return html`<div class="two consequences">
    <div>
      <h3>What stops</h3>
      <ul>
        ${stops.map((text) => html`<li>${text}</li>`)}
      </ul>
    </div>
    <div>
      <h3>What goes on</h3>
      <ul>
        ${goesOn.map((text) => html`<li>${text}</li>`)}
      </ul>
    </div>
  </div>`;
}
