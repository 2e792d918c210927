// Client of the merchant portal API. Paths, parameters and answers are typed by schema.d.ts.

import createClient from "./vendor/openapi-fetch.js";

export { readError, retryAfterSeconds } from "./errors.js";

/** @typedef {import("./types.js").PortalClient} PortalClient */

const EXPECTED_MERCHANT = "x-expected-merchant";

/**
 * The API refuses requests with two credentials, so a client with a token or a key sends no cookie.
 *
 * @param {import("./types.js").PortalClientOptions} options
 * @returns {PortalClient}
 */
export function createPortalClient({ token, key, expectedMerchant, ...options }) {
  if (key !== undefined && (token !== undefined || "document" in globalThis))
    throw new TypeError("key: is only for servers, without a token. A key in a page is no longer secret.");
  const bearer = key ?? token;
  const client = createClient({
    ...options,
    ...(bearer === undefined
      ? { credentials: "include" }
      : { credentials: "omit", headers: { authorization: `Bearer ${bearer}` } }),
  });
  client.use({
    onRequest({ request: { method, headers } }) {
      const merchant = typeof expectedMerchant === "function" ? expectedMerchant() : expectedMerchant;
      if (merchant && method !== "GET" && !headers.has(EXPECTED_MERCHANT)) headers.set(EXPECTED_MERCHANT, merchant);
    },
  });
  return client;
}
