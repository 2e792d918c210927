/**
 * Opens the journal in a folder of a local disk, which is created if there is none. Rejects if another process has it open, and
 * if a file in it cannot be read: it may be about money.
 *
 * @param {string} folder
 * @returns {Promise<FileJournal>} `close` lets another process open it
 */
export function openFileJournal(folder: string): Promise<FileJournal>;
export type Entry = import("./journal.js").Entry;
export type FileJournal = import("./journal.js").Journal & {
    close: () => Promise<void>;
};
