// What the till remembers between visits, apart from the journal of money calls.

/**
 * @typedef {object} Pairing
 * @property {string} token
 * @property {{id: string, name: string, storeName: string | null}} till
 * @property {{slug: string, name: string, currency: string, primaryColor: string | null, secondaryColor: string | null}} merchant
 */

const PAIRING = "pairing";
const SET_ASIDE = "set-aside";

/** @returns {Pairing | null} */
export function readPairing() {
  return read(PAIRING);
}

/** @param {Pairing | null} pairing */
export function writePairing(pairing) {
  if (pairing) localStorage.setItem(PAIRING, JSON.stringify(pairing));
  else localStorage.removeItem(PAIRING);
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
  localStorage.setItem(SET_ASIDE, JSON.stringify([...keys]));
}

/** @param {string} name */
function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null; // written by another version
  }
}
