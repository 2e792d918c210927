// Calls of the API. A page gets data, or a Problem that says what went wrong; a session that ended asks for a new one in between.

import { config } from "/config.js";
import { createPortalClient, readError, retryAfterSeconds } from "/portal-api/index.js";

/** Whose page it is. In another tab, somebody may sign in with another merchant. @type {{merchant?: string | undefined}} */
export const shown = {};
export const api = createPortalClient({ baseUrl: config.api, expectedMerchant: () => shown.merchant });

/** A call that did not succeed. `status` 0: no answer arrived. */
export class Problem extends Error {
  /** Whether the call, or an earlier one of the same press, may have been carried out. */
  isUnknown = false;

  /**
   * @param {number} status
   * @param {import("/portal-api/errors.js").ApiError | null} error
   * @param {number | null} retryAfter seconds
   * @param {string} [words] what the code means, for reading
   * @param {unknown} [body] as the API sent it
   */
  constructor(status, error, retryAfter, words, body) {
    super(error?.message ?? "No answer");
    this.status = status;
    this.code = error?.code ?? null;
    this.retryAfter = retryAfter;
    this.words = words;
    this.body = body;
  }
}

/** Why somebody has to sign in again: the session has ended, is too old, or was begun without a passkey. @typedef {"ended" | "old" | "passkey"} Reason */

/** @type {((reason: Reason) => Promise<boolean>) | null} */
let signInAgain = null;

/**
 * Sets what to do when a session has ended: a promise of whether there is a new one.
 * @param {(reason: Reason) => Promise<boolean>} handler
 */
export function onSessionEnd(handler) {
  signInAgain = handler;
}

/** Asks to sign in; resolves to whether somebody did, once that is over. @param {Reason} reason */
export const askToSignIn = async (reason) => signInAgain?.(reason);

/**
 * Sends a request and returns the body of a success.
 * @template T
 * @param {() => Promise<{data?: T, error?: unknown, response: Response}>} send
 * @param {{signIn?: boolean}} [options] `signIn` false: a 401 is an answer like any other
 * @returns {Promise<T>}
 */
export async function call(send, { signIn = true } = {}) {
  try {
    return await once(send, signIn);
  } catch (problem) {
    const reason = signIn && problem instanceof Problem ? reasonToSignIn(problem) : null;
    if (!reason || !signInAgain) throw problem;
    await signInAgain(reason);
    return once(send, signIn); // nothing was done without a session, so that writes are safe to repeat
  }
}

/** @param {Problem} problem @returns {Reason | null} */
function reasonToSignIn({ status, code }) {
  return status === 401 ? "ended" : code === "SIGN_IN_AGAIN" ? "old" : null;
}

/**
 * @template T
 * @param {() => Promise<{data?: T, error?: unknown, response: Response}>} send
 * @param {boolean} ofPage whether the answer has to be of the page's merchant
 */
async function once(send, ofPage) {
  let answer;
  try {
    answer = await send();
  } catch {
    throw new Problem(0, null, null);
  }
  const { data, error, response } = answer;
  const refusal = readError(error);
  const whose = ofPage && shown.merchant && response.headers.get("session-merchant");
  const code = whose && whose !== shown.merchant ? "OTHER_MERCHANT" : refusal?.code;
  if (response.ok && data !== undefined && !code) return data;
  if (code === "OTHER_MERCHANT") dispatchEvent(new Event("other-session"));
  const words = await wordsFor(response.status, code);
  throw new Problem(response.status, refusal, retryAfterSeconds(response), words, error);
}

/** @param {number} status @param {string | null | undefined} code */
async function wordsFor(status, code) {
  if (!code || status === 401) return undefined; // a 401 leads to the sign-in, which needs no words
  return import("./words.js").then(
    ({ WORDS }) => WORDS.get(code),
    () => undefined,
  );
}

/**
 * What went wrong, for reading, and what to do about it. Never a raw code.
 * @param {unknown} problem
 * @returns {string}
 */
export function explain(problem) {
  if (!(problem instanceof Problem)) return "This page has a fault. Reload it.";
  const { status, words } = problem;
  if (words) return words;
  if (status === 0) return "No connection. Check the network.";
  if (status === 429) return tooMany(problem);
  if (status === 403) return "Your role does not allow this. An administrator of your team can change that.";
  if (status === 404) return "It no longer exists.";
  if (status === 413) return "The file is too large. Choose one of at most 4 MB.";
  if (status === 415) return "Files of this type are not accepted.";
  if (status >= 500) return "The service did not answer as it should. Try again in a moment.";
  return sentence(problem.message);
}

/** The API says what was used up, and when there is more. @param {Problem} problem */
function tooMany({ message, retryAfter }) {
  if (/^You[\w ]* reached /.test(message)) return sentence(message);
  return `Too many attempts. Try again in ${Math.max(1, Math.ceil((retryAfter ?? 60) / 60))} min.`;
}

/** @param {string} message a message of the API: "name: must not be empty" names the field first */
function sentence(message) {
  const text = message.replace(/^[\w.[\]]+: /, "");
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
