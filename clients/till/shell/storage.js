// What the till remembers between visits, apart from the journal of money calls.

/**
 * @typedef {object} Pairing
 * @property {string} token
 * @property {{id: string, name: string, storeName: string | null}} till
 * @property {{id?: string, slug: string, name: string, currency: string, primaryColor: string | null, secondaryColor: string | null}} merchant
 */

const PAIRING = "pairing";
const SET_ASIDE = "set-aside";
const REVOKED = "revoked";
const SHOWN = "shown";

/** @returns {Pairing | null} */
export function readPairing() {
  return read(PAIRING);
}

/** @param {Pairing | null} pairing */
export function writePairing(pairing) {
  write(PAIRING, pairing);
}

/**
 * Keys of money calls with an unknown outcome that the cashier left, to serve the next customer.
 *
 * @returns {Set<string>}
 */
export function readSetAside() {
  return new Set(read(SET_ASIDE) ?? []);
}

/** @param {Set<string>} keys */
export function writeSetAside(keys) {
  write(SET_ASIDE, [...keys]);
}

/**
 * Tokens to be ended as soon as the API can be reached.
 *
 * @returns {string[]}
 */
export function readRevoked() {
  return read(REVOKED) ?? [];
}

/** @param {string[]} tokens */
export function writeRevoked(tokens) {
  write(REVOKED, tokens.length > 0 ? tokens : null);
}

/**
 * The money call whose outcome this tab shows: a reload does not take it away.
 *
 * @returns {string | null}
 */
export function readShown() {
  return read(SHOWN, "sessionStorage");
}

/** @param {string | null} key */
export function writeShown(key) {
  write(SHOWN, key, "sessionStorage");
}

/**
 * @param {string} name
 * @param {"localStorage" | "sessionStorage"} [storage]
 */
function read(name, storage = "localStorage") {
  try {
    return JSON.parse(globalThis[storage].getItem(name) ?? "null");
  } catch {
    return null; // blocked, or written by another version
  }
}

/**
 * @param {string} name
 * @param {unknown} value null removes it
 * @param {"localStorage" | "sessionStorage"} [storage]
 */
function write(name, value, storage = "localStorage") {
  try {
    if (value === null) globalThis[storage].removeItem(name);
    else globalThis[storage].setItem(name, JSON.stringify(value));
  } catch {
    // Full or blocked: it is known as long as the page is open.
  }
}
