// Signing in with a passkey: offered in the address field as long as the page waits, and by a button. One attempt at a time.

import { once } from "/kit/once.js";
import { api, call, explain, Problem } from "../shell/api.js";
import { askForPasskey, refusalOf, whyNoPasskeys } from "./passkeys.js";

/** A challenge is good for five minutes, of which choosing a passkey may take one. */
const RENEW_AFTER_MS = 240_000;
const PAUSE_MS = 30_000;

/** @typedef {import("../shell/store.js").Session} Session */

export class PasskeySignIn {
  busy = false;
  error = "";
  /** Said quietly: nobody has to do anything about it. */
  note = "";
  /** Ends the offer in the field. @type {AbortController | null} */
  #offer = null;

  /** @param {(session: Session) => void} done @param {() => void} changed */
  constructor(done, changed) {
    this.done = done;
    this.changed = changed;
  }

  /** Offers passkeys in the field for the address, until one is used or the offer is ended. */
  async offer() {
    this.end();
    if (whyNoPasskeys()) return;
    const offer = (this.#offer = new AbortController());
    const isAvailable = await PublicKeyCredential.isConditionalMediationAvailable?.();
    while (isAvailable && !offer.signal.aborted) await this.#offerOnce(offer.signal);
  }

  end() {
    this.#offer?.abort();
    this.#offer = null;
  }

  /** With one challenge. @param {AbortSignal} ended */
  async #offerOnce(ended) {
    const overdue = new AbortController();
    const timer = setTimeout(() => overdue.abort(), RENEW_AFTER_MS);
    let answer;
    try {
      const { challengeId, options } = await challenge();
      const signal = AbortSignal.any([ended, overdue.signal]);
      answer = { challengeId, credential: await askForPasskey(options, { mediation: "conditional", signal }) };
    } catch {
      // Nobody has pressed anything, so nothing is said. Unless it was time for another challenge, the next one waits.
      if (!overdue.signal.aborted) await pause(ended);
      return;
    } finally {
      clearTimeout(timer);
    }
    if (!ended.aborted) await this.#attempt(async () => answer);
  }

  /** By the button. The offer in the field goes on after an attempt that failed. */
  async press() {
    const isOffered = this.#offer !== null;
    this.end();
    const isDone = await this.#attempt(async () => {
      const { challengeId, options } = await challenge();
      return { challengeId, credential: await askForPasskey(options) };
    });
    if (isOffered && !isDone) this.offer();
  }

  #attempt = once(async (/** @type {() => Promise<{challengeId: string, credential: any}>} */ answer) => {
    this.busy = true;
    this.error = "";
    this.note = "";
    this.changed();
    let isDone = false;
    try {
      const body = await answer();
      const { data } = await call(() => api.POST("/api/auth/session", { body }), { signIn: false });
      isDone = true;
      this.end();
      this.done(data);
    } catch (problem) {
      this.#say(problem);
    }
    this.busy = false;
    this.changed();
    return isDone;
  });

  /** @param {unknown} problem */
  #say(problem) {
    if (problem instanceof DOMException && problem.name === "NotAllowedError") this.note = "No passkey was used.";
    else this.error = problem instanceof Problem ? inWords(problem) : refusalOf(problem);
  }
}

/** @param {Problem} problem */
const inWords = (problem) =>
  problem.code === "PASSKEY_INVALID"
    ? "This passkey was not accepted. If it was removed from your account, sign in with a code."
    : explain(problem);

async function challenge() {
  return (await call(() => api.POST("/api/auth/passkeys/challenge"), { signIn: false })).data;
}

/** @param {AbortSignal} ended */
function pause(ended) {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS);
    ended.addEventListener("abort", resolve);
  });
}
