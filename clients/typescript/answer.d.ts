/**
 * The answer to issue or redeem.
 *
 * @param {Response} response
 * @param {unknown} body
 * @returns {Answer}
 */
export function readAnswer(response: Response, body: unknown): Answer;
/**
 * The answer to a question for an operation, or to the closing of a key.
 *
 * @param {Response} response
 * @param {unknown} body
 * @returns {Answer}
 */
export function readOperation(response: Response, body: unknown): Answer;
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
export const NO_ANSWER: Extract<Answer, {
    kind: "unknown";
}>;
export type ApiError = import("./errors.js").ApiError;
/**
 * `code` is that of the API or, where the card network refused, that of the network: INSUFFICIENT_FUNDS, say. Null where neither told
 * one. `sentence` says it to a cashier. `status` is null where the card network's was not told.
 */
export type Refusal = {
    code: string | null;
    sentence: string;
    status: number | null;
    error: ApiError;
    retryAfter: number | null;
};
/**
 * - `moved`: the money moved. `result` may be anything.
 * - `refused`, `closed`: it did not, and never will.
 * - `free`: this request moved nothing, but a copy of it that is on its way still may.
 * - `unknown`: `isForgotten`: there is no operation with the reference. `isLost`: the API cannot tell any more.
 */
export type Answer = {
    kind: "moved";
    result: unknown;
    replayed: boolean;
} | {
    kind: "refused";
    refusal: Refusal;
} | {
    kind: "closed";
} | {
    kind: "free";
    refusal: Refusal;
} | {
    kind: "unknown";
    reference: string | null;
    retryAfter: number | null;
    isForgotten: boolean;
    isLost: boolean;
};
