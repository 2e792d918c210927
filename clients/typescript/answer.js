// What a response says of a money call. Only the header `Money-Moved` counts, whatever the status and the body: a response
// without it comes from something before the API, and says nothing about money.

import { property, readError, retryAfterSeconds } from "./errors.js";

/** @typedef {import("./errors.js").ApiError} ApiError */

/**
 * `code` is that of the API or, where the card network refused, that of the network: INSUFFICIENT_FUNDS, say. Null where neither told
 * one. `sentence` says it to a cashier. `status` is null where the card network's was not told.
 *
 * @typedef {{code: string | null, sentence: string, status: number | null, error: ApiError, retryAfter: number | null}} Refusal
 */

/**
 * - `moved`: the money moved. `result` may be anything.
 * - `refused`, `closed`: it did not, and never will.
 * - `free`: this request moved nothing, but a copy of it that is on its way still may.
 * - `unknown`: `isForgotten`: there is no operation with the reference. `isLost`: the API cannot tell any more.
 *
 * @typedef {{kind: "moved", result: unknown, replayed: boolean}
 *   | {kind: "refused", refusal: Refusal}
 *   | {kind: "closed"}
 *   | {kind: "free", refusal: Refusal}
 *   | {kind: "unknown", reference: string | null, retryAfter: number | null, isForgotten: boolean, isLost: boolean}} Answer
 */

/** @type {Extract<Answer, {kind: "unknown"}>} */
export const NO_ANSWER = { kind: "unknown", reference: null, retryAfter: null, isForgotten: false, isLost: false };

/** What cashiers meet. @type {Map<string, string>} */
const SENTENCES = new Map([
  ["CARD_NOT_FOUND", "There is no such card."],
  ["CARD_BLOCKED", "The card is blocked."],
  ["CARD_EXPIRED", "The card has expired."],
  ["INSUFFICIENT_FUNDS", "There is less on the card."],
  ["INVALID_AMOUNT", "The card network does not accept this amount."],
  ["OFFER_NOT_FOUND", "This gift card is no longer sold."],
  ["OFFER_NOT_AVAILABLE", "This gift card is not sold now."],
  ["MERCHANT_NOT_ACTIVE", "The business is not active, so no gift card can be sold or redeemed."],
  ["RATE_LIMITED", "The card network is busy. Try again."],
]);

/** Nothing is said of the call but that it is over, one way or the other. */
const CLOSED = ["CANCELLED", "KEY_EXPIRED"];
/** Then nobody but a person can find out. */
const LOST = ["RESTORED", "KEY_EXPIRED"];

/**
 * The answer to issue or redeem.
 *
 * @param {Response} response
 * @param {unknown} body
 * @returns {Answer}
 */
export function readAnswer(response, body) {
  const { ok, status } = response;
  const replayed = response.headers.get("idempotent-replayed") === "true";
  return read(response, { body, result: ok ? body : null, status, replayed });
}

/**
 * The answer to a question for an operation, or to the closing of a key.
 *
 * @param {Response} response
 * @param {unknown} body
 * @returns {Answer}
 */
export function readOperation(response, body) {
  const operation = property(body, "data");
  if (property(operation, "status") === "CANCELLED" && moneyMoved(response) === "no") return { kind: "closed" };
  const result = property(operation, "result") ?? null;
  const answer = read(response, { body: response.ok ? result : body, result, status: null, replayed: true });
  if (answer.kind !== "unknown") return answer;
  const reference = property(operation, "reference");
  return {
    ...answer,
    reference: typeof reference === "string" ? reference : null,
    isForgotten: response.status === 404,
  };
}

/**
 * @param {Response} response
 * @param {{body: unknown, result: unknown, status: number | null, replayed: boolean}} read `body` is where an error would be
 * @returns {Answer}
 */
function read(response, { body, result, status, replayed }) {
  const retryAfter = retryAfterSeconds(response);
  const error = readError(body) ?? { message: `Status ${response.status}`, code: null, details: null };
  const code = codeOf(error);
  const sentence = SENTENCES.get(code ?? "") ?? (error.code === null ? "The card network refused it." : error.message);
  const refusal = { code, sentence, status, error, retryAfter };
  switch (moneyMoved(response)) {
    case "yes":
      return { kind: "moved", result, replayed };
    case "no":
      return CLOSED.includes(error.code ?? "") ? { kind: "closed" } : { kind: "refused", refusal };
    case "not-yet":
      return { kind: "free", refusal };
    default: {
      const reference = property(error.details, "reference");
      return {
        ...NO_ANSWER,
        reference: typeof reference === "string" ? reference : null,
        retryAfter,
        isLost: LOST.includes(error.code ?? ""),
      };
    }
  }
}

/** @param {ApiError} error */
function codeOf({ code, details }) {
  const ofNetwork = property(details, "code");
  return code ?? (typeof ofNetwork === "string" ? ofNetwork : null);
}

/**
 * @param {Response} response
 */
function moneyMoved(response) {
  return response.headers.get("money-moved");
}
