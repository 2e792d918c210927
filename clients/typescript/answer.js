// What a response says of a money call. Only the header `Money-Moved` counts, whatever the status and the body: a response
// without it comes from something before the API, and says nothing about money.

import { property, readError, retryAfterSeconds } from "./errors.js";

/** @typedef {import("./errors.js").ApiError} ApiError */

/**
 * `status` is null where the card network's was not told.
 *
 * @typedef {{status: number | null, error: ApiError, retryAfter: number | null}} Refusal
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
  const error = readError(body);
  const code = error?.code ?? "";
  const refusal = {
    status,
    error: error ?? { message: `Status ${response.status}`, code: null, details: null },
    retryAfter,
  };
  switch (moneyMoved(response)) {
    case "yes":
      return { kind: "moved", result, replayed };
    case "no":
      return CLOSED.includes(code) ? { kind: "closed" } : { kind: "refused", refusal };
    case "not-yet":
      return { kind: "free", refusal };
    default: {
      const reference = property(error?.details, "reference");
      return {
        ...NO_ANSWER,
        reference: typeof reference === "string" ? reference : null,
        retryAfter,
        isLost: LOST.includes(code),
      };
    }
  }
}

/**
 * @param {Response} response
 */
function moneyMoved(response) {
  return response.headers.get("money-moved");
}
