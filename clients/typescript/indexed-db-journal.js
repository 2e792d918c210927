// A journal of money calls in IndexedDB: it survives reloads and crashes of the browser, and all tabs of an origin share it.

import { isBusy, newestFirst } from "./journal.js";

/** @typedef {import("./journal.js").Entry} Entry */

const STORE = "money-calls";
/** Milliseconds. Some browsers that block the database never say so. */
const OPENING_TIMEOUT = 5000;

/**
 * Rejects where the browser has no database for this page, as in some private windows.
 *
 * @param {string} [name] of the database
 * @returns {Promise<import("./journal.js").Journal>}
 */
export async function openIndexedDbJournal(name = "portal-api") {
  let opened = await open(name);

  /** The browser may close the database while the page is open.
   * @param {IDBTransactionMode} mode */
  async function begin(mode) {
    try {
      return opened.transaction(STORE, mode, { durability: "strict" });
    } catch {
      opened = await open(name);
      return opened.transaction(STORE, mode, { durability: "strict" });
    }
  }

  return {
    async begin(entry) {
      const transaction = await begin("readwrite");
      const store = transaction.objectStore(STORE);
      const written = committed(transaction);
      const reading = store.getAll();
      let isAdded = false;
      reading.onsuccess = () => {
        isAdded = !isBusy(reading.result, entry);
        if (isAdded) store.add(entry);
      };
      await written;
      return isAdded;
    },
    async change(key, change) {
      const transaction = await begin("readwrite");
      const store = transaction.objectStore(STORE);
      const written = committed(transaction);
      const reading = store.get(key);
      /** @type {Entry | undefined} */
      let changed;
      reading.onsuccess = () => {
        if (reading.result === undefined) return;
        changed = change(reading.result);
        store.put(changed);
      };
      await written;
      return changed;
    },
    get: async (key) => result((await begin("readonly")).objectStore(STORE).get(key)),
    async all() {
      /** @type {Entry[]} */
      const entries = await result((await begin("readonly")).objectStore(STORE).getAll());
      return entries.sort(newestFirst);
    },
    async remove(key) {
      const transaction = await begin("readwrite");
      transaction.objectStore(STORE).delete(key);
      await committed(transaction);
    },
  };
}

/**
 * @param {string} name
 * @param {number} [version] 0: the one that there is
 * @returns {Promise<IDBDatabase>}
 */
async function open(name, version = 1) {
  try {
    const database = await openAs(name, version);
    // Another page upgrades or deletes it: this one opens it again when it needs it.
    database.onversionchange = () => database.close();
    if (database.objectStoreNames.contains(STORE)) return database;
    database.close();
    return open(name, database.version + 1);
  } catch (error) {
    // A newer one than this code knows: its entries are the same.
    if (version === 0 || !(error instanceof DOMException && error.name === "VersionError")) throw error;
    return open(name, 0);
  }
}

/**
 * @param {string} name
 * @param {number} version 0: the one that there is
 * @returns {Promise<IDBDatabase>}
 */
async function openAs(name, version) {
  const opening = indexedDB.open(name, version || undefined);
  opening.onupgradeneeded = () => {
    if (!opening.result.objectStoreNames.contains(STORE)) opening.result.createObjectStore(STORE, { keyPath: "key" });
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("The database could not be opened.")), OPENING_TIMEOUT);
  });
  return Promise.race([result(opening), timeout]).finally(() => clearTimeout(timer));
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
function committed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}
