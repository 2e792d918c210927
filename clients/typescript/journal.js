// What a journal of money calls holds. See money-call.js.

import { property } from "./errors.js";

/** @typedef {import("./schema.js").components["schemas"]} Schemas */
/** @typedef {import("./money-call.js").Settled} Settled */

/**
 * `closed`: asked by closing the call.
 *
 * @typedef {object} Step
 * @property {"sent" | "sentAgain" | "asked" | "closed" | "noAnswer"} what
 * @property {number} at milliseconds since 1970
 */

/** @typedef {Record<string, string | number | boolean | null>} Note */

/**
 * An entry without an outcome was sent, or was about to be, and nobody knows yet what became of it. The body is kept that long,
 * for whoever has to look into it: it is never sent from here. It can hold a card's code.
 *
 * @typedef {object} Entry
 * @property {string} key the idempotency key
 * @property {"issue" | "redeem"} call
 * @property {Schemas["IssueRequest"] | Schemas["RedeemRequest"] | null} body null once the outcome is known
 * @property {string} [merchant] the id of the merchant; entries of earlier versions have none
 * @property {string | null} [till] the id of the till
 * @property {number} startedAt milliseconds since 1970
 * @property {string} [madeAt] `startedAt` by the API's clock; entries of earlier versions have none
 * @property {boolean} [isClosing] it was decided to close the call: nothing may send it any more
 * @property {boolean} [isLost] the API cannot tell any more what became of the key
 * @property {import("./answer.js").Refusal} [refusal] why a request failed that moved nothing, while a copy of it may still do so
 * @property {Step[]} steps
 * @property {string | null} reference of the operation, once the API named it
 * @property {number} retryAfter seconds that the API wants between this question and the next
 * @property {Note} note whatever the application needs to show the entry later
 * @property {Settled | null} outcome
 */

/**
 * Each function resolves only once what it wrote would survive the end of the page. `begin` and `change` are atomic, whoever
 * else has the same journal open.
 *
 * @typedef {object} Journal
 * @property {(entry: Entry) => Promise<boolean>} begin adds the entry; false: `isBusy`, and nothing was added
 * @property {(key: string, change: (entry: Entry) => Entry) => Promise<Entry | undefined>} change reads the entry and writes what
 *   became of it; undefined: there is none
 * @property {(key: string) => Promise<Entry | undefined>} get
 * @property {() => Promise<Entry[]>} all newest first
 * @property {(key: string) => Promise<void>} remove
 */

/**
 * A journal that a reload does not survive: for tests.
 *
 * @returns {Journal}
 */
export function createMemoryJournal() {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  return {
    async begin(entry) {
      if (isBusy([...entries.values()], entry)) return false;
      entries.set(entry.key, structuredClone(entry));
      return true;
    },
    async change(key, change) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      const changed = change(structuredClone(entry));
      entries.set(key, structuredClone(changed));
      return changed;
    },
    get: async (key) => structuredClone(entries.get(key)),
    all: async () => [...entries.values()].sort(newestFirst).map((entry) => structuredClone(entry)),
    remove: async (key) => void entries.delete(key),
  };
}

/**
 * Whether the card of the new entry, or the redemption that it gives back, has a call already whose outcome is not known.
 *
 * @param {Entry[]} entries
 * @param {Entry} added
 */
export function isBusy(entries, added) {
  const subject = subjectOf(added);
  return subject !== null && entries.some((entry) => entry.outcome === null && subjectOf(entry) === subject);
}

/**
 * What a call takes money from; null for a sale.
 *
 * @param {Entry} entry
 * @returns {string | null}
 */
export function subjectOf({ call, body }) {
  const subject = property(body, call === "redeem" ? "qrCode" : "refundOf");
  return typeof subject === "string" ? `${call} ${subject}` : null;
}

/**
 * @param {Entry} a
 * @param {Entry} b
 */
export function newestFirst(a, b) {
  return b.startedAt - a.startedAt;
}
