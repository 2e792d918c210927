// A journal of money calls in a folder of files, for programs in Node: it survives their end, and that of the machine.
//
// Each entry is a file. It is written under another name, flushed to the disk and then renamed, and the folder is flushed as
// well: so it is there as a whole or not at all. One process at a time has the folder open, so that `begin` and `change` need
// to be atomic in this process alone.

import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join, resolve } from "node:path";
import { isBusy, newestFirst } from "./journal.js";

/** @typedef {import("./journal.js").Entry} Entry */
/** @typedef {import("./journal.js").Journal & {close: () => Promise<void>}} FileJournal */

// Entries contain the codes of cards.
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const ENTRY = ".json";
const UNFINISHED = ".new";
const LOCK = ".lock";

/**
 * Opens the journal in a folder of a local disk, which is created if there is none. Rejects if another process has it open, and
 * if a file in it cannot be read: it may be about money.
 *
 * @param {string} folder
 * @returns {Promise<FileJournal>} `close` lets another process open it
 */
export async function openFileJournal(folder) {
  const path = resolve(folder);
  await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  const unlock = await lock(path);
  try {
    return journalOf(path, await readEntries(path), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * @param {string} folder
 * @param {Map<string, Entry>} entries what the files contain
 * @param {() => Promise<void>} unlock
 * @returns {FileJournal}
 */
function journalOf(folder, entries, unlock) {
  let isClosed = false;
  /** The last of the writes, which follow each other. @type {Promise<unknown>} */
  let last = Promise.resolve();

  /**
   * @template T
   * @param {() => Promise<T>} write
   * @returns {Promise<T>}
   */
  function inTurn(write) {
    const turn = last.then(() => {
      if (isClosed) throw new Error("The journal is closed.");
      return write();
    });
    last = turn.catch(() => {});
    return turn;
  }

  return {
    begin: (entry) =>
      inTurn(async () => {
        if (isBusy([...entries.values()], entry)) return false;
        const added = structuredClone(entry);
        await writeEntry(folder, added);
        entries.set(added.key, added);
        return true;
      }),
    change: (key, change) =>
      inTurn(async () => {
        const entry = entries.get(key);
        if (!entry) return undefined;
        const changed = structuredClone(change(structuredClone(entry)));
        await writeEntry(folder, changed);
        entries.set(key, changed);
        return structuredClone(changed);
      }),
    get: async (key) => structuredClone(entries.get(key)),
    all: async () => structuredClone([...entries.values()].sort(newestFirst)),
    remove: (key) =>
      inTurn(async () => {
        await rm(join(folder, await fileName(key)), { force: true });
        await flush(folder);
        entries.delete(key);
      }),
    async close() {
      await inTurn(async () => void (isClosed = true));
      await unlock();
    },
  };
}

/** @param {string} folder */
async function readEntries(folder) {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // A write that never ended. Whoever waited for it was not told that it had.
    if (name.endsWith(UNFINISHED)) await rm(path, { force: true });
    if (!name.endsWith(ENTRY)) continue;
    const entry = await readEntry(path);
    entries.set(entry.key, entry);
  }
  return entries;
}

/**
 * @param {string} path
 * @returns {Promise<Entry>}
 */
async function readEntry(path) {
  const text = await readFile(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is not a journal entry. Find out the outcome of its call before you move it away.`, {
      cause,
    });
  }
}

/**
 * @param {string} folder
 * @param {Entry} entry
 */
async function writeEntry(folder, entry) {
  const path = join(folder, await fileName(entry.key));
  const file = await open(path + UNFINISHED, "w", FILE_MODE);
  try {
    await file.writeFile(JSON.stringify(entry, null, 2));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(path + UNFINISHED, path);
  await flush(folder);
}

/**
 * Makes the names in a folder durable.
 *
 * @param {string} folder
 */
async function flush(folder) {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * A key may have any visible character, and more of them than a file's name.
 *
 * @param {string} key
 */
async function fileName(key) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("") + ENTRY;
}

/**
 * Makes sure that nobody else has the folder open. A lock is a socket in it: the system closes it with its process, however that
 * ends. Each process first makes its own, under a name that is used once, and then looks for others. So of two processes at
 * least one sees the other, and gives way.
 *
 * @param {string} folder
 * @returns {Promise<() => Promise<void>>} unlocks it
 */
async function lock(folder) {
  const name = crypto.randomUUID().slice(0, 8) + LOCK;
  const unlock = await listen(join(folder, name));
  const locks = (await readdir(folder)).filter((other) => other.endsWith(LOCK));
  // Missing: somebody took it for one of a process that has ended, just before it listened.
  let isShared = !locks.includes(name);
  for (const other of locks.filter((lock) => lock !== name)) {
    if (await isListening(join(folder, other))) isShared = true;
    else await rm(join(folder, other), { force: true });
  }
  if (!isShared) return unlock;
  await unlock();
  throw new Error(`Another process has the journal in ${folder} open.`);
}

/**
 * @param {string} path
 * @returns {Promise<() => Promise<void>>} closes the socket and removes it
 */
function listen(path) {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("listening", () => {
      server.unref();
      resolve(() => new Promise((closed) => server.close(() => closed())));
    });
    server.once("error", (cause) =>
      reject(new Error(`The journal cannot be locked by ${path}. A path of 100 bytes is too long.`, { cause })),
    );
    server.listen(path);
  });
}

/**
 * @param {string} path of a socket
 * @returns {Promise<boolean>}
 */
function isListening(path) {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", ({ code }) => resolve(code !== "ECONNREFUSED" && code !== "ENOENT"));
  });
}
