// Adding and removing a passkey.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, call, explain, Problem } from "../shell/api.js";
import { carryOut } from "../shell/change.js";
import { store } from "../shell/store.js";
import { maxLength } from "../forms/bounds.js";
import { actionDialog, confirm, STAY } from "../forms/dialogs.js";
import { field, toast } from "../forms/forms.js";
import { deviceOf } from "./device.js";
import { readPasskeys } from "./passkey-list.js";
import { makePasskey } from "./passkeys.js";
import { isSignedOut } from "./read-session.js";

/** @typedef {import("./passkey-list.js").Passkey} Passkey */
/** @typedef {{challengeId: string, credential: any}} Made */

/** Resolves to whether there is another passkey. */
export async function addPasskey() {
  let needsCode = store.session?.user?.isAdmin ?? false;
  let codeError = "";
  /** What the browser has made, until it was sent. @type {Made | null} */
  let made = null;
  const added = await actionDialog({
    title: "Add a passkey",
    verb: "Add the passkey",
    failed: "No passkey was added.",
    content: () =>
      html`<p>Your browser asks for your fingerprint, your face or the lock of your screen, and keeps the passkey.</p>
        ${field({ name: "name", label: "Name", value: deviceOf(navigator.userAgent), required: true, maxlength: maxLength.addPasskey.name, hint: "By which you will know it" })}
        ${needsCode ? enrolmentField(codeError) : nothing}`,
    act: async ({ name = "", enrolmentCode }) => {
      codeError = "";
      made ??= await make();
      const { challengeId, credential } = made;
      try {
        await send({ challengeId, credential, name, ...(enrolmentCode ? { enrolmentCode } : {}) });
      } catch (problem) {
        if (!(problem instanceof Problem && problem.code === "ENROLMENT_REQUIRED")) {
          made = null;
          throw problem;
        }
        needsCode = true;
        codeError = enrolmentCode ? explain(problem) : "Enter the code that an operator of the platform gives you.";
        throw STAY;
      }
      return true;
    },
  });
  if (added) toast("The passkey was added.");
  return added === true;
}

/** @param {string} error */
const enrolmentField = (error) =>
  field({
    name: "enrolmentCode",
    label: "Enrolment code",
    required: true,
    error,
    hint: "An operator of the platform gives it to you",
  });

/** @returns {Promise<Made>} */
async function make() {
  const { challengeId, options } = (await call(() => api.POST("/api/auth/passkeys/options"))).data;
  return { challengeId, credential: await makePasskey(options) };
}

/** @param {Made & {name: string, enrolmentCode?: string}} body */
async function send(body) {
  const known = new Set((await readPasskeys()).map(({ id }) => id));
  await carryOut(
    () => api.POST("/api/auth/passkeys", { body }),
    async () => (await readPasskeys()).some(({ id, name }) => name === body.name && !known.has(id)),
  );
}

/** Resolves to whether it was removed: nobody is signed in any more. @param {Passkey} passkey */
export function removePasskey({ id, name }) {
  const codes =
    store.session?.user?.mailSignIn === false
      ? "Mailed codes sign you in again, unless two passkeys are left, or one that is synced."
      : "After that you can sign in with another passkey, or with a mailed code.";
  return confirm({
    title: `Remove ${name}?`,
    text: codes,
    verb: `Remove ${name}`,
    failed: `${name} was not removed.`,
    effects: [
      {
        title: "What happens",
        items: [
          "The passkey no longer signs you in.",
          "All your devices are signed out immediately, including this one.",
        ],
      },
    ],
    act: () => carryOut(() => api.DELETE("/api/auth/passkeys/{id}", { params: { path: { id } } }), isSignedOut),
  });
}
