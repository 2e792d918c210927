// Signing out of this device. Whoever may still be signed in is told so.

import { html } from "/kit/vendor/lit.js";
import { api, explain } from "../shell/api.js";
import { carryOut, Doubt, isUnknown } from "../shell/change.js";
import { icon } from "../shell/icons.js";
import { isSignedOut } from "./read-session.js";
import { leave } from "./leave.js";

const doubt = new Doubt();

/** Leaves for the sign-in page, or resolves to why not. */
export async function signOut() {
  try {
    await carryOut(() => api.DELETE("/api/auth/session"), isSignedOut, { signIn: false });
    return leave();
  } catch (problem) {
    return notSignedOut(doubt.about(problem));
  }
}

/** @param {unknown} problem */
function notSignedOut(problem) {
  const what = isUnknown(problem) ? "It is not known whether you are signed out." : "You were not signed out.";
  return html`<div class="notice bad" role="alert">
    ${icon("warn")}
    <div>
      <b>${what}</b>
      <p>${explain(problem)} Sign out again before you leave this device.</p>
    </div>
  </div>`;
}
