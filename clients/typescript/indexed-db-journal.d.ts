/**
 * @param {string} [name] of the database
 * @returns {Promise<import("./journal.js").Journal>}
 */
export function openIndexedDbJournal(name?: string): Promise<import("./journal.js").Journal>;
