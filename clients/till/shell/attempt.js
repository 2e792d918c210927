// Requests that fail without throwing.

import { readError, retryAfterSeconds } from "/portal-api/errors.js";

/**
 * A request that failed. `status` is 0 without a connection.
 *
 * @typedef {object} Failure
 * @property {number} status
 * @property {unknown} details
 * @property {number | null} retryAfter seconds
 */

/**
 * @template T
 * @param {Promise<{data?: T, error?: unknown, response: Response}>} call
 * @returns {Promise<{data: T, failure?: undefined} | {data?: undefined, failure: Failure}>}
 */
export async function attempt(call) {
  try {
    const { data, error, response } = await call;
    if (data !== undefined) return { data };
    return {
      failure: { status: response.status, details: readError(error)?.details, retryAfter: retryAfterSeconds(response) },
    };
  } catch {
    return { failure: { status: 0, details: null, retryAfter: null } };
  }
}

/** @param {unknown} error */
export function isAborted(error) {
  // The name is not a property of the error's own.
  return error instanceof DOMException && (error.name === "AbortError" || error.name === "TimeoutError");
}
