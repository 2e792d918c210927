// Client of the merchant portal API. Paths, parameters and answers are typed by schema.d.ts.

import createClient from "./vendor/openapi-fetch.js";

export { readError, retryAfterSeconds } from "./errors.js";

/** @typedef {import("./schema.js").paths} paths */
/** @typedef {import("./schema.js").components["schemas"]} Schemas */
/** @typedef {import("./vendor/openapi-fetch.js").Client<paths>} PortalClient */

/**
 * @typedef {object} PortalClientOptions
 * @property {string} baseUrl the API's origin, without a slash at the end
 * @property {string} [token] a bearer token, as a till has it; without one, the browser's session cookie is sent
 * @property {(request: Request) => Promise<Response>} [fetch] instead of the global fetch
 */

/**
 * The API refuses requests with two credentials, so a client with a token sends no cookie.
 *
 * @param {PortalClientOptions} options
 * @returns {PortalClient}
 */
export function createPortalClient({ baseUrl, token, fetch }) {
  return createClient({
    baseUrl,
    ...(token === undefined
      ? { credentials: "include" }
      : { credentials: "omit", headers: { authorization: `Bearer ${token}` } }),
    ...(fetch && { fetch }),
  });
}
