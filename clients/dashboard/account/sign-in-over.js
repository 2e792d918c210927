// Signing in over the page, which keeps what was typed.

import { html, render } from "/kit/vendor/lit.js";
import { closesBy } from "../forms/dialogs.js";
import "./sign-in.js";

/**
 * Asks to sign in again and resolves once there is a new session. Nothing closes it without one, unless only the kind of session is
 * lacking.
 * @param {string} email
 * @param {import("../shell/api.js").Reason} reason
 * @returns {Promise<void>}
 */
export function signInOverPage(email, reason) {
  return new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.className = "sign-in-again";
    dialog.ariaLabel = reason === "passkey" ? "Sign in with a passkey" : "Sign in again";
    const done = () => {
      dialog.close();
      dialog.remove();
      resolve();
    };
    closesBy(dialog, reason === "passkey" ? done : () => {});
    render(html`<sign-in .again=${email} .reason=${reason} .done=${done} .cancel=${done}></sign-in>`, dialog);
    document.body.append(dialog);
    dialog.showModal();
  });
}
