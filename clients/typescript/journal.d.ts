/** @typedef {import("./schema.js").components["schemas"]} Schemas */
/**
 * @typedef {object} Step
 * @property {"sent" | "sentAgain" | "asked" | "noAnswer"} what
 * @property {number} at milliseconds since 1970
 */
/** @typedef {Record<string, string | number | boolean | null>} Note */
/**
 * @typedef {object} EntryFields
 * @property {string} key the idempotency key
 * @property {number} startedAt milliseconds since 1970
 * @property {string} [madeAt] `startedAt` by the API's clock; entries of earlier versions have none
 * @property {boolean} [isRestored] the API has lost what it knew about the key
 * @property {Step[]} steps
 * @property {string | null} reference of the operation, once the API named it
 * @property {number} retryAfter seconds to wait before the next question
 * @property {Note} note whatever the application needs to show the entry later
 */
/**
 * An entry without an outcome was sent, or was about to be, and nobody knows yet what became of it. The body is kept as long
 * as it may have to be sent again: it can hold a card's code.
 *
 * @typedef {EntryFields & {call: "issue", body: Schemas["IssueRequest"] | null, outcome: import("./money-call.js").Settled<"issue", Schemas["Issued"]> | null}} IssueEntry
 * @typedef {EntryFields & {call: "redeem", body: Schemas["RedeemRequest"] | null, outcome: import("./money-call.js").Settled<"redeem", Schemas["Redeemed"]> | null}} RedeemEntry
 * @typedef {IssueEntry | RedeemEntry} Entry
 */
/**
 * `put` resolves only once the entry would survive the end of the page.
 *
 * @typedef {object} Journal
 * @property {(entry: Entry) => Promise<void>} put
 * @property {(key: string) => Promise<Entry | undefined>} get
 * @property {() => Promise<Entry[]>} all newest first
 * @property {(key: string) => Promise<void>} remove
 */
/**
 * A journal that a reload does not survive: for tests.
 *
 * @returns {Journal}
 */
export function createMemoryJournal(): Journal;
/**
 * @param {Entry} a
 * @param {Entry} b
 */
export function newestFirst(a: Entry, b: Entry): number;
export type Schemas = import("./schema.js").components["schemas"];
export type Step = {
    what: "sent" | "sentAgain" | "asked" | "noAnswer";
    /**
     * milliseconds since 1970
     */
    at: number;
};
export type Note = Record<string, string | number | boolean | null>;
export type EntryFields = {
    /**
     * the idempotency key
     */
    key: string;
    /**
     * milliseconds since 1970
     */
    startedAt: number;
    /**
     * `startedAt` by the API's clock; entries of earlier versions have none
     */
    madeAt?: string | undefined;
    /**
     * the API has lost what it knew about the key
     */
    isRestored?: boolean | undefined;
    steps: Step[];
    /**
     * of the operation, once the API named it
     */
    reference: string | null;
    /**
     * seconds to wait before the next question
     */
    retryAfter: number;
    /**
     * whatever the application needs to show the entry later
     */
    note: Note;
};
/**
 * An entry without an outcome was sent, or was about to be, and nobody knows yet what became of it. The body is kept as long
 * as it may have to be sent again: it can hold a card's code.
 */
export type IssueEntry = EntryFields & {
    call: "issue";
    body: Schemas["IssueRequest"] | null;
    outcome: import("./money-call.js").Settled<"issue", Schemas["Issued"]> | null;
};
/**
 * An entry without an outcome was sent, or was about to be, and nobody knows yet what became of it. The body is kept as long
 * as it may have to be sent again: it can hold a card's code.
 */
export type RedeemEntry = EntryFields & {
    call: "redeem";
    body: Schemas["RedeemRequest"] | null;
    outcome: import("./money-call.js").Settled<"redeem", Schemas["Redeemed"]> | null;
};
/**
 * An entry without an outcome was sent, or was about to be, and nobody knows yet what became of it. The body is kept as long
 * as it may have to be sent again: it can hold a card's code.
 */
export type Entry = IssueEntry | RedeemEntry;
/**
 * `put` resolves only once the entry would survive the end of the page.
 */
export type Journal = {
    put: (entry: Entry) => Promise<void>;
    get: (key: string) => Promise<Entry | undefined>;
    /**
     * newest first
     */
    all: () => Promise<Entry[]>;
    remove: (key: string) => Promise<void>;
};
