// Signing in over the page, which keeps what was typed.

import { html, render } from "/kit/vendor/lit.js";
import { closesBy } from "../forms/dialogs.js";
import "./sign-in.js";

/**
 * Asks to sign in again. Resolves to whether there is a new session. Nothing closes it without one, unless only the kind of session is
 * lacking.
 * @param {string} email
 * @param {import("../shell/api.js").Reason} reason
 * @returns {Promise<boolean>}
 */
export function signInOverPage(email, reason) {
  return new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.className = "sign-in-again";
    dialog.ariaLabel = reason === "passkey" ? "Sign in with a passkey" : "Sign in again";
    const close = (/** @type {boolean} */ isSignedIn) => {
      dialog.close();
      dialog.remove();
      resolve(isSignedIn);
    };
    const [done, cancel] = [() => close(true), () => close(false)];
    closesBy(dialog, reason === "passkey" ? cancel : () => {});
    render(html`<sign-in .again=${email} .reason=${reason} .done=${done} .cancel=${cancel}></sign-in>`, dialog);
    document.body.append(dialog);
    dialog.showModal();
  });
}
