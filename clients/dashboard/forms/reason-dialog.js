// Dialogs of a platform administrator: what is changed, what that leads to, and the reason, which stays in the history.

import { html, nothing } from "/kit/vendor/lit.js";
import { maxLength } from "./bounds.js";
import { actionDialog, effectList, nameError, nameField, STAY } from "./dialogs.js";
import { field, focusError, toast } from "./forms.js";

/** @typedef {Record<string, string>} Values */

/**
 * @typedef {object} Question
 * @property {string} title names the object
 * @property {string} verb
 * @property {string} failed what did not happen where it is refused
 * @property {string} done what is said afterwards
 * @property {unknown} [intro]
 * @property {readonly {title: string, items: readonly string[]}[]} [effects]
 * @property {string} [nameToType]
 * @property {"primary" | "danger" | "final"} [tone]
 * @property {string} [dismiss]
 * @property {(errors: Values) => unknown} [fields]
 * @property {(values: Values) => Values} [check] errors by field
 * @property {(values: Values, reason: string) => Promise<unknown>} act
 */

/** @param {Question} question @returns {Promise<boolean>} whether it was done */
export async function askWithReason(question) {
  const { title, verb, failed, tone, dismiss, intro = nothing, effects = [], nameToType } = question;
  /** @type {Values} */
  let errors = {};
  const done = await actionDialog({
    title,
    verb,
    failed,
    tone,
    dismiss,
    content: () =>
      html`${intro}${effects.map(effectList)}${question.fields?.(errors)}${reasonField(errors.reason)}
      ${nameField(nameToType, errors.nameToType)}`,
    act: async ({ reason = "", ...values }) => {
      errors = { ...question.check?.(values), ...ownErrors(reason, nameError(nameToType, values)) };
      if (Object.keys(errors).length > 0) {
        focusError(document.querySelector("dialog:last-of-type") ?? document);
        throw STAY;
      }
      await question.act(values, reason);
      return true;
    },
  });
  if (done) toast(question.done);
  return done === true;
}

/** @param {string} reason @param {string} nameToType the error @returns {Values} */
function ownErrors(reason, nameToType) {
  return { ...(reason === "" && { reason: "Enter the reason." }), ...(nameToType && { nameToType }) };
}

/** @param {string | undefined} error */
function reasonField(error) {
  const hint = "It stays in the history. The merchant does not see it.";
  return field({ name: "reason", label: "Reason", rows: 2, maxlength: maxLength.changeMerchant.reason, hint, error });
}
