/**
 * The API refuses requests with two credentials, so a client with a token or a key sends no cookie.
 *
 * @param {import("./types.js").PortalClientOptions} options
 * @returns {PortalClient}
 */
export function createPortalClient({ token, key, expectedMerchant, ...options }: import("./types.js").PortalClientOptions): PortalClient;
export type PortalClient = import("./types.js").PortalClient;
export { readError, retryAfterSeconds } from "./errors.js";
export type * from "./types.js";
