/**
 * Rejects where the browser has no database for this page, as in some private windows.
 *
 * @param {string} [name] of the database
 * @returns {Promise<import("./journal.js").Journal>}
 */
export function openIndexedDbJournal(name?: string): Promise<import("./journal.js").Journal>;
export type Entry = import("./journal.js").Entry;
