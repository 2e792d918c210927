// What the browser does with passkeys: asking for one, and making one.

import { Problem } from "../shell/api.js";

/** Why this page offers no passkeys; empty where it does. */
export function whyNoPasskeys() {
  if (/^[\d.]+$|^\[/.test(location.hostname))
    return "Passkeys belong to a name, and this page was opened at an IP address.";
  return "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential
    ? ""
    : "This browser does not offer passkeys here.";
}

/**
 * Resolves to what the passkey has signed, for the API.
 * @param {Record<string, unknown>} options as the API sent them
 * @param {CredentialRequestOptions} [more]
 */
export async function askForPasskey(options, more) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(/** @type {any} */ (options));
  const credential = await navigator.credentials.get({ publicKey, ...more });
  return /** @type {PublicKeyCredential} */ (credential).toJSON();
}

/** Resolves to the new passkey, for the API. @param {Record<string, unknown>} options as the API sent them */
export async function makePasskey(options) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(/** @type {any} */ (options));
  try {
    const credential = await navigator.credentials.create({ publicKey });
    return /** @type {PublicKeyCredential} */ (credential).toJSON();
  } catch (error) {
    throw new Problem(0, null, null, refusalOf(error));
  }
}

/** Why the browser did not use a passkey, for reading. @param {unknown} error */
export function refusalOf(error) {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") return "It was cancelled, or took too long.";
  if (name === "InvalidStateError") return "This device already has a passkey of your account.";
  if (name === "SecurityError") return "Passkeys cannot be used at this address.";
  return "The browser could not use a passkey.";
}
