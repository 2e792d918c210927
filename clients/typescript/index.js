// Client of the merchant portal API. Paths, parameters and answers are typed by schema.d.ts.

import createClient from "./vendor/openapi-fetch.js";

export { readError, retryAfterSeconds } from "./errors.js";

/** @typedef {import("./types.js").PortalClient} PortalClient */

const EXPECTED_MERCHANT = "x-expected-merchant";

/**
 * The API refuses requests with two credentials, so a client with a token sends no cookie.
 *
 * @param {import("./types.js").PortalClientOptions} options
 * @returns {PortalClient}
 */
export function createPortalClient({ token, expectedMerchant, ...options }) {
  const client = createClient({
    ...options,
    ...(token === undefined
      ? { credentials: "include" }
      : { credentials: "omit", headers: { authorization: `Bearer ${token}` } }),
  });
  client.use({
    onRequest({ request: { method, headers } }) {
      const merchant = typeof expectedMerchant === "function" ? expectedMerchant() : expectedMerchant;
      if (merchant && method !== "GET" && !headers.has(EXPECTED_MERCHANT)) headers.set(EXPECTED_MERCHANT, merchant);
    },
  });
  return client;
}
