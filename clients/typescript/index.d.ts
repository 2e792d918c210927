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
export function createPortalClient({ baseUrl, token, fetch }: PortalClientOptions): PortalClient;
export type paths = import("./schema.js").paths;
export type Schemas = import("./schema.js").components["schemas"];
export type PortalClient = import("./vendor/openapi-fetch.js").Client<paths>;
export type PortalClientOptions = {
    /**
     * the API's origin, without a slash at the end
     */
    baseUrl: string;
    /**
     * a bearer token, as a till has it; without one, the browser's session cookie is sent
     */
    token?: string | undefined;
    /**
     * instead of the global fetch
     */
    fetch?: ((request: Request) => Promise<Response>) | undefined;
};
export { readError, retryAfterSeconds } from "./errors.js";
