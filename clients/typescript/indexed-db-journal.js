// A journal of money calls in IndexedDB: it survives reloads and crashes of the browser.

import { newestFirst } from "./journal.js";

const STORE = "money-calls";

/**
 * @param {string} [name] of the database
 * @returns {Promise<import("./journal.js").Journal>}
 */
export async function openIndexedDbJournal(name = "portal-api") {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "key" });
  const database = await result(opening);
  /** @param {IDBTransactionMode} mode */
  const begin = (mode) => database.transaction(STORE, mode, { durability: "strict" });

  return {
    async put(entry) {
      const transaction = begin("readwrite");
      transaction.objectStore(STORE).put(entry);
      await committed(transaction);
    },
    get: (key) => result(begin("readonly").objectStore(STORE).get(key)),
    async all() {
      /** @type {import("./journal.js").Entry[]} */
      const entries = await result(begin("readonly").objectStore(STORE).getAll());
      return entries.sort(newestFirst);
    },
    async remove(key) {
      const transaction = begin("readwrite");
      transaction.objectStore(STORE).delete(key);
      await committed(transaction);
    },
  };
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
