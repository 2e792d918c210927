/**
 * Returns the message if it is genuine and new. Rejects with a `WebhookError` otherwise, and with what `isHandled` rejects with.
 *
 * @param {WebhookHeaders} headers
 * @param {string | Uint8Array | ArrayBuffer} body as it was received, before anything has parsed it
 * @param {string | readonly string[]} secret several while they are rotated
 * @param {WebhookOptions} [options]
 * @returns {Promise<ReceivedWebhook>}
 */
export function verifyWebhook(headers: WebhookHeaders, body: string | Uint8Array | ArrayBuffer, secret: string | readonly string[], options?: WebhookOptions): Promise<ReceivedWebhook>;
/** Why a message is not to be handled. Its text has nothing of the secret or the body. */
export class WebhookError extends Error {
    /**
     * @param {WebhookErrorCode} code
     * @param {string} message
     */
    constructor(code: WebhookErrorCode, message: string);
    /** @readonly */
    readonly code: WebhookErrorCode;
    /** The HTTP status to answer. @readonly */
    readonly status: number;
}
export type ReceivedWebhook = import("./webhook-messages.js").ReceivedWebhook;
/**
 * - `MISSING_HEADER`: one of the three headers is missing or empty. - `TIMESTAMP`: it is no number, or further from now
 * than the tolerance. - `SIGNATURE`: none is of one of the secrets, for these bytes. - `BODY`: signed, but not a
 * message. - `SECRET`: a secret that was passed is none. - `REPEATED`: it has been handled before.
 */
export type WebhookErrorCode = "MISSING_HEADER" | "TIMESTAMP" | "SIGNATURE" | "BODY" | "SECRET" | "REPEATED";
/**
 * Names in any letter case.
 */
export type WebhookHeaders = Headers | Iterable<readonly [string, string]> | {
    readonly [name: string]: string | readonly string[] | undefined;
};
export type WebhookOptions = {
    /**
     * whether the message with this id has been handled, or stored to
     * be handled. It is called for genuine messages only, and nothing is recorded here
     */
    isHandled?: ((id: string) => boolean | Promise<boolean>) | undefined;
    /**
     * how far the time of sending may be from now, either way; 300
     */
    toleranceSeconds?: number | undefined;
    /**
     * milliseconds since 1970
     */
    now?: (() => number) | undefined;
};
export type * from "./webhook-messages.js";
