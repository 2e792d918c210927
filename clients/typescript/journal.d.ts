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
 * @property {string | null} [merchant] the id of the merchant; entries of earlier versions have none
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
export function createMemoryJournal(): Journal;
/**
 * Whether the card of the new entry, or the redemption that it gives back, has a call already whose outcome is not known.
 *
 * @param {Entry[]} entries
 * @param {Entry} added
 */
export function isBusy(entries: Entry[], added: Entry): boolean;
/**
 * What a call takes money from; null for a sale.
 *
 * @param {Entry} entry
 * @returns {string | null}
 */
export function subjectOf({ call, body }: Entry): string | null;
/**
 * @param {Entry} a
 * @param {Entry} b
 */
export function newestFirst(a: Entry, b: Entry): number;
export type Schemas = import("./schema.js").components["schemas"];
export type Settled = import("./money-call.js").Settled;
/**
 * `closed`: asked by closing the call.
 */
export type Step = {
    what: "sent" | "sentAgain" | "asked" | "closed" | "noAnswer";
    /**
     * milliseconds since 1970
     */
    at: number;
};
export type Note = Record<string, string | number | boolean | null>;
/**
 * An entry without an outcome was sent, or was about to be, and nobody knows yet what became of it. The body is kept that long,
 * for whoever has to look into it: it is never sent from here. It can hold a card's code.
 */
export type Entry = {
    /**
     * the idempotency key
     */
    key: string;
    call: "issue" | "redeem";
    /**
     * null once the outcome is known
     */
    body: Schemas["IssueRequest"] | Schemas["RedeemRequest"] | null;
    /**
     * the id of the merchant; entries of earlier versions have none
     */
    merchant?: string | null | undefined;
    /**
     * the id of the till
     */
    till?: string | null | undefined;
    /**
     * milliseconds since 1970
     */
    startedAt: number;
    /**
     * `startedAt` by the API's clock; entries of earlier versions have none
     */
    madeAt?: string | undefined;
    /**
     * it was decided to close the call: nothing may send it any more
     */
    isClosing?: boolean | undefined;
    /**
     * the API cannot tell any more what became of the key
     */
    isLost?: boolean | undefined;
    /**
     * why a request failed that moved nothing, while a copy of it may still do so
     */
    refusal?: import("./answer.js").Refusal | undefined;
    steps: Step[];
    /**
     * of the operation, once the API named it
     */
    reference: string | null;
    /**
     * seconds that the API wants between this question and the next
     */
    retryAfter: number;
    /**
     * whatever the application needs to show the entry later
     */
    note: Note;
    outcome: Settled | null;
};
/**
 * Each function resolves only once what it wrote would survive the end of the page. `begin` and `change` are atomic, whoever
 * else has the same journal open.
 */
export type Journal = {
    /**
     * adds the entry; false: `isBusy`, and nothing was added
     */
    begin: (entry: Entry) => Promise<boolean>;
    /**
     * reads the entry and writes what
     * became of it; undefined: there is none
     */
    change: (key: string, change: (entry: Entry) => Entry) => Promise<Entry | undefined>;
    get: (key: string) => Promise<Entry | undefined>;
    /**
     * newest first
     */
    all: () => Promise<Entry[]>;
    remove: (key: string) => Promise<void>;
};
