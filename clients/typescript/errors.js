// Error bodies have three formats: {ok, error: {message, code?, details?}}, {ok, error: message} and
// {error: message, code?, details?}. This module reads all of them.

/** @typedef {import("./types.js").ApiError} ApiError */

/**
 * Returns null for a body that is no error of the API, such as the page of a proxy.
 *
 * @param {unknown} body
 * @returns {ApiError | null}
 */
export function readError(body) {
  const error = property(body, "error");
  const source = typeof error === "string" ? body : error;
  const message = typeof error === "string" ? error : property(error, "message");
  if (typeof message !== "string") return null;
  const code = property(source, "code");
  const read = { message, code: typeof code === "string" ? code : null, details: property(source, "details") ?? null };
  return /** @type {ApiError} */ (read);
}

/**
 * The `Retry-After` header in seconds; null without one.
 *
 * @param {Response} response
 * @returns {number | null}
 */
export function retryAfterSeconds(response) {
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}

/**
 * A property of a value that may be no object.
 *
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
export function property(value, name) {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
