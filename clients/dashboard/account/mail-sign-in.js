// Whether mailed codes sign the user in.

import { html } from "/kit/vendor/lit.js";
import { toneBadge } from "/kit/badge.js";
import { api, askToSignIn, Problem } from "../shell/api.js";
import { carryOut } from "../shell/change.js";
import { store } from "../shell/store.js";
import { confirm } from "../forms/dialogs.js";
import { readSession } from "./read-session.js";

/** @param {() => void} turn */
export function mailSignIn(turn) {
  const isOn = isMailSignIn();
  return html`<div class="form">
    <p>
      ${isOn ? toneBadge("ok", "On") : toneBadge("neutral", "Off")}
      ${
        isOn
          ? "A code that we mail to you signs you in. Whoever can read your mail can sign in as you."
          : "Only your passkeys sign you in. If you lose all of them, an operator of the platform has to help you."
      }
    </p>
    <div><button class="button" type="button" @click=${turn}>${isOn ? "Turn off" : "Turn on"}</button></div>
  </div>`;
}

export const isMailSignIn = () => store.session?.user?.mailSignIn !== false;

/** Resolves to whether it was turned. @param {boolean} on */
export function turnMailSignIn(on) {
  const act = () => withPasskey(() => send(on));
  return on
    ? confirm({
        title: "Turn sign-in by mailed code on?",
        text: "Whoever can read your mail can then sign in as you.",
        verb: "Turn on",
        failed: "Sign-in by mailed code was not turned on.",
        act,
      })
    : confirm({
        title: "Turn sign-in by mailed code off?",
        text: "Only your passkeys sign you in then. If you lose all of them, an operator of the platform has to help you.",
        verb: "Turn off",
        failed: "Sign-in by mailed code was not turned off.",
        act,
      });
}

/** @param {boolean} mailSignIn */
const send = (mailSignIn) =>
  carryOut(
    () => api.PATCH("/api/auth/session/user", { body: { mailSignIn } }),
    async () => (await readSession()).data.user?.mailSignIn === mailSignIn,
  );

/** Asks for a passkey where the session was begun without one. @param {() => Promise<unknown>} act */
async function withPasskey(act) {
  try {
    await act();
  } catch (problem) {
    if (!(problem instanceof Problem && problem.code === "PASSKEY_REQUIRED")) throw problem;
    await askToSignIn("passkey");
    await act();
  }
}
