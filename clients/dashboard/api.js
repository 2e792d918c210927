// Calls of the API. A page gets data, or a Problem that says what went wrong; a session that ended asks for a new one in between.

import { config } from "/config.js";
import { createPortalClient, readError, retryAfterSeconds } from "/portal-api/index.js";

export const api = createPortalClient({ baseUrl: config.api });

/** A call that did not succeed. `status` 0: no answer arrived. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {import("/portal-api/errors.js").ApiError | null} error
   * @param {number | null} retryAfter seconds
   */
  constructor(status, error, retryAfter) {
    super(error?.message ?? "No answer");
    this.status = status;
    this.code = error?.code ?? null;
    this.retryAfter = retryAfter;
  }
}

/** @type {(() => Promise<void>) | null} */
let signInAgain = null;

/**
 * Sets what to do when a session has ended: a promise that is resolved once there is a new one.
 * @param {() => Promise<void>} handler
 */
export function onSessionEnd(handler) {
  signInAgain = handler;
}

/**
 * Sends a request and returns the body of a success.
 * @template T
 * @param {() => Promise<{data?: T, error?: unknown, response: Response}>} send
 * @param {{signIn?: boolean}} [options] `signIn` false: a 401 is an answer like any other
 * @returns {Promise<T>}
 */
export async function call(send, { signIn = true } = {}) {
  try {
    return await once(send);
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 401 || !signIn || !signInAgain) throw problem;
    await signInAgain();
    return once(send); // nothing was done without a session, so that writes are safe to repeat
  }
}

/**
 * @template T
 * @param {() => Promise<{data?: T, error?: unknown, response: Response}>} send
 */
async function once(send) {
  let answer;
  try {
    answer = await send();
  } catch {
    throw new Problem(0, null, null);
  }
  const { data, error, response } = answer;
  if (!response.ok || data === undefined) throw new Problem(response.status, readError(error), retryAfterSeconds(response));
  return data;
}

/**
 * What went wrong, for reading, and what to do about it. Never a raw code.
 * @param {unknown} problem
 * @returns {string}
 */
export function explain(problem) {
  if (!(problem instanceof Problem)) return "This page has a fault. Reload it.";
  const { status, code } = problem;
  const known = code ? WORDS.get(code) : undefined;
  if (known) return known;
  if (status === 0) return "No connection. Check the network.";
  if (status === 429) return tooMany(problem.retryAfter);
  if (status === 403) return "Your role does not allow this. An administrator of your team can change that.";
  if (status === 404) return "It is not there any more.";
  if (status === 413) return "The file is too large. Choose one of at most 4 MB.";
  if (status === 415) return "Files of this type are not accepted.";
  if (status >= 500) return "The service did not answer as it should. Try again in a moment.";
  return sentence(problem.message);
}

/** @param {number | null} seconds */
function tooMany(seconds) {
  return `Too many attempts. Try again in ${Math.max(1, Math.ceil((seconds ?? 60) / 60))} min.`;
}

/** @param {string} message a message of the API: "name: must not be empty" names the field first */
function sentence(message) {
  const text = message.replace(/^[\w.[\]]+: /, "");
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

/**
 * The field that a refusal is about, such as "legalAddress.city".
 * @param {unknown} problem
 */
export function fieldOf(problem) {
  return problem instanceof Problem && problem.status === 400 ? /^([\w.[\]]+): /.exec(problem.message)?.[1] ?? null : null;
}

const WORDS = new Map(Object.entries({
  CODE_INVALID: "That code is wrong or has expired.",
  ALREADY_LINKED: "You belong to a business already.",
  ALREADY_MEMBER: "This person is in your team already.",
  ALREADY_INVITED: "This person is invited already. Send the invitation again instead.",
  SLUG_TAKEN: "This address is taken. Choose another one.",
  OTHER_ADDRESS: "The invitation is for another address. Sign in with that one.",
  INVITE_OVER: "This invitation is over. Ask for a new one.",
  NOT_DRAFT: "The application has been sent. It cannot be deleted any more.",
  SIGN_IN_AGAIN: "This needs a fresh sign-in. Sign out, sign in again, and repeat it.",
  OWN_MERCHANT: "This is your own business. Another administrator has to do it.",
  SECOND_PERSON: "You started this payout. Another administrator has to confirm it.",
  STATUS_CONFLICT: "The status has changed meanwhile. Reload the page.",
  NETWORK_ACCOUNT_TAKEN: "Another merchant has this network account.",
  MODE_FIXED: "The settlement mode is set and cannot be changed.",
  BATCH_CLOSED: "This payout is closed already.",
  BATCH_BUILDING: "This payout is still being put together. Try again in a moment.",
  EXPORT_RUNNING: "Another export is running. Wait until it is ready.",
  IN_BATCH: "This settlement is part of a payout already.",
  SETTLEMENT_CLOSED: "This settlement is closed already.",
}));
