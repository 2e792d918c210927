// Messages that the API sends to a merchant's own systems, signed as Standard Webhooks has it. It needs Web Crypto and nothing of
// Node, so that it runs in workers as well.

/** @typedef {import("./webhook-messages.js").ReceivedWebhook} ReceivedWebhook */

/**
 * - `MISSING_HEADER`: one of the three headers is missing or empty. - `TIMESTAMP`: it is no number, or further from now
 * than the tolerance. - `SIGNATURE`: none is of one of the secrets, for these bytes. - `BODY`: signed, but not a
 * message. - `SECRET`: a secret that was passed is none. - `REPEATED`: it has been handled before.
 *
 * @typedef {"MISSING_HEADER" | "TIMESTAMP" | "SIGNATURE" | "BODY" | "SECRET" | "REPEATED"} WebhookErrorCode
 */

/**
 * Names in any letter case.
 *
 * @typedef {Headers | Iterable<readonly [string, string]> | {readonly [name: string]: string | readonly string[] | undefined}} WebhookHeaders
 */

/**
 * @typedef {object} WebhookOptions
 * @property {(id: string) => boolean | Promise<boolean>} [isHandled] whether the message with this id has been handled, or stored to
 *   be handled. It is called for genuine messages only, and nothing is recorded here
 * @property {number} [toleranceSeconds] how far the time of sending may be from now, either way; 300
 * @property {() => number} [now] milliseconds since 1970
 */

const SECRET_PREFIX = "whsec_";
/** Bytes. Standard Webhooks allows no shorter keys. */
const MIN_KEY_LENGTH = 24;
const SIGNATURE_PREFIX = "v1,";
const HMAC = { name: "HMAC", hash: "SHA-256" };

/** @type {Record<WebhookErrorCode, number>} */
const STATUSES = { MISSING_HEADER: 400, TIMESTAMP: 400, SIGNATURE: 400, BODY: 400, SECRET: 500, REPEATED: 200 };

/** Why a message is not to be handled. Its text has nothing of the secret or the body. */
export class WebhookError extends Error {
  /**
   * @param {WebhookErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "WebhookError";
    /** @readonly */
    this.code = code;
    /** The HTTP status to answer. @readonly */
    this.status = STATUSES[code];
  }
}

/**
 * Returns the message if it is genuine and new. Rejects with a `WebhookError` otherwise, and with what `isHandled` rejects with.
 *
 * @param {WebhookHeaders} headers
 * @param {string | Uint8Array | ArrayBuffer} body as it was received, before anything has parsed it
 * @param {string | readonly string[]} secret several while they are rotated
 * @param {WebhookOptions} [options]
 * @returns {Promise<ReceivedWebhook>}
 */
export async function verifyWebhook(headers, body, secret, options = {}) {
  const { isHandled, toleranceSeconds = 300, now = Date.now } = options;
  const keys = await importKeys(secret);
  const pairs = pairsOf(headers);
  const id = header(pairs, "webhook-id");
  const timestamp = header(pairs, "webhook-timestamp");
  const signatures = readSignatures(header(pairs, "webhook-signature"));
  checkTimestamp(timestamp, now() / 1000, toleranceSeconds);
  const bytes = bytesOf(body);
  const content = concatenate(bytesOf(`${id}.${timestamp}.`), bytes);
  if (!(await isSigned(keys, signatures, content))) {
    throw new WebhookError("SIGNATURE", "No signature matches these bytes and this secret.");
  }
  const message = readMessage(bytes);
  if (await isHandled?.(id)) throw new WebhookError("REPEATED", "The message has been handled before.");
  return /** @type {ReceivedWebhook} */ ({ ...message, id });
}

/** @param {string | readonly string[]} secret */
function importKeys(secret) {
  const secrets = /** @type {string[]} */ ([secret].flat());
  if (secrets.length === 0) throw new WebhookError("SECRET", "There is no secret.");
  return Promise.all(secrets.map(importKey));
}

/** @param {string} secret */
function importKey(secret) {
  const key = String(secret).startsWith(SECRET_PREFIX) ? decodeBase64(secret.slice(SECRET_PREFIX.length)) : null;
  if (key === null || key.length < MIN_KEY_LENGTH) {
    throw new WebhookError("SECRET", `A secret is ${SECRET_PREFIX} and at least ${MIN_KEY_LENGTH} bytes in base64.`);
  }
  return crypto.subtle.importKey("raw", key, HMAC, false, ["verify"]);
}

/**
 * @param {WebhookHeaders} headers
 * @returns {(readonly [string, string | readonly string[] | undefined])[]}
 */
function pairsOf(headers) {
  return Symbol.iterator in headers
    ? [.../** @type {Iterable<readonly [string, string]>} */ (headers)]
    : Object.entries(headers);
}

/**
 * The values of one that was sent several times are joined, as `Headers` does.
 *
 * @param {ReturnType<typeof pairsOf>} pairs
 * @param {string} wanted
 */
function header(pairs, wanted) {
  const values = pairs.filter(([name]) => name.toLowerCase() === wanted).flatMap(([, value]) => value ?? []);
  const joined = values.join(", ");
  if (joined === "") throw new WebhookError("MISSING_HEADER", `The header ${wanted} is missing.`);
  return joined;
}

/**
 * Passes over versions that it does not know, and what is no base64.
 *
 * @param {string} header
 */
function readSignatures(header) {
  return header
    .split(/,? +/)
    .filter((entry) => entry.startsWith(SIGNATURE_PREFIX))
    .flatMap((entry) => decodeBase64(entry.slice(SIGNATURE_PREFIX.length)) ?? []);
}

/**
 * @param {string} timestamp
 * @param {number} now in seconds
 * @param {number} tolerance
 */
function checkTimestamp(timestamp, now, tolerance) {
  if (!/^\d+$/.test(timestamp)) throw new WebhookError("TIMESTAMP", "The header webhook-timestamp is not a number.");
  const isNear = Math.abs(now - Number(timestamp)) <= tolerance;
  if (!isNear) throw new WebhookError("TIMESTAMP", `The message was not sent within ${tolerance} seconds of now.`);
}

/**
 * `crypto.subtle.verify` compares in constant time.
 *
 * @param {CryptoKey[]} keys
 * @param {ReturnType<typeof readSignatures>} signatures
 * @param {ReturnType<typeof concatenate>} content
 */
async function isSigned(keys, signatures, content) {
  for (const key of keys) {
    for (const signature of signatures) {
      if (await crypto.subtle.verify(HMAC, key, signature, content)) return true;
    }
  }
  return false;
}

/** @param {Uint8Array} bytes */
function readMessage(bytes) {
  const message = parse(bytes);
  const { type, timestamp, merchantId, test, data } = isObject(message) ? message : {};
  const hasItsForm =
    [type, timestamp, merchantId].every((text) => typeof text === "string") &&
    typeof test === "boolean" &&
    isObject(data);
  if (!hasItsForm) throw new WebhookError("BODY", "The body is not a message.");
  return /** @type {Record<string, unknown>} */ (message);
}

/**
 * Without properties named `__proto__`, which would change the prototype of whatever they are copied to. An error of `JSON.parse`
 * would quote the body.
 *
 * @param {Uint8Array} bytes
 * @returns {unknown}
 */
function parse(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return JSON.parse(text, (name, value) => (name === "__proto__" ? undefined : value));
  } catch {
    throw new WebhookError("BODY", "The body is not JSON.");
  }
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {string | Uint8Array | ArrayBuffer} body */
function bytesOf(body) {
  return typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
}

/**
 * @param {Uint8Array} first
 * @param {Uint8Array} second
 */
function concatenate(first, second) {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** @param {string} text */
function decodeBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
