/** @typedef {import("./types.js").ApiError} ApiError */
/**
 * Returns null for a body that is no error of the API, such as the page of a proxy.
 *
 * @param {unknown} body
 * @returns {ApiError | null}
 */
export function readError(body: unknown): ApiError | null;
/**
 * The `Retry-After` header in seconds; null without one.
 *
 * @param {Response} response
 * @returns {number | null}
 */
export function retryAfterSeconds(response: Response): number | null;
/**
 * A property of a value that may be no object.
 *
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
export function property(value: unknown, name: string): unknown;
export type ApiError = import("./types.js").ApiError;
