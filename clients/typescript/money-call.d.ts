/** @param {MoneyCallOptions} options */
export function createMoneyCalls({ client, journal, merchant, till, now, newKey, isOnline, sleep, timeout, }: MoneyCallOptions): {
    /**
     * Sells a card.
     *
     * @param {Schemas["IssueRequest"]} body
     * @param {Note} [note]
     * @returns {Attempt<"issue">}
     */
    issue(body: Schemas["IssueRequest"], note?: Note): Attempt<"issue">;
    /**
     * Takes an amount off a card. Throws a `TypeError`, and does nothing, if an amount is text that is no decimal number.
     *
     * @param {RedeemBody} request
     * @param {Note} [note]
     * @returns {Attempt<"redeem">}
     */
    redeem(request: RedeemBody, note?: Note): Attempt<"redeem">;
    /**
     * Asks until the outcome is known, by closing the intent: what was not carried out by then never will be. It waits as long
     * as the API wants, then half as long again each time, up to 30 seconds.
     *
     * @param {string} key
     * @param {QuestionOptions} [options]
     */
    resolveUnknown(key: string, options?: QuestionOptions): Question;
    /**
     * Ends an entry whose outcome a person has found out elsewhere, such as by the card's balance.
     *
     * @param {string} key
     * @param {string} sentence what was found
     * @returns {Promise<Outcome | null>} null: there is no such entry
     */
    resolveByHand(key: string, sentence: string): Promise<Outcome | null>;
    /** All entries, newest first, with outcomes that could not be written yet. */
    entries(): Promise<import("./journal.js").Entry[]>;
    /**
     * Whether the entry is the session's merchant's. What was begun for another one is not asked for: only `resolveByHand` ends
     * it.
     *
     * @param {Entry} entry
     */
    isOurs: (entry: Entry) => boolean;
};
export type Sender = {
    entry: Entry;
    turnAway: () => void;
    readonly send: ((signal: AbortSignal) => Promise<{
        data?: unknown;
        error?: unknown;
        response: Response;
    }>) | null;
};
export type Schemas = import("./schema.js").components["schemas"];
export type Answer = import("./answer.js").Answer;
export type Refusal = import("./answer.js").Refusal;
export type Entry = import("./journal.js").Entry;
export type Note = import("./journal.js").Note;
export type Call = Entry["call"];
/**
 * - `done`: the money moved. `result` is null where the API knows that it did, but not the details any more.
 * - `refused`: nothing moved, nor will it.
 * - `closed`: the intent was closed before it was carried out. Nothing moved, nor will it.
 * - `notSent`: it never left this device. `busy`: the card has a call whose outcome is not known.
 * - `byHand`: somebody has checked what became of it.
 */
export type Settled<C extends Call = "issue" | "redeem"> = C extends Call ? {
    kind: "done";
    call: C;
    key: string;
    result: Result<C> | null;
    replayed: boolean;
} | ({
    kind: "refused";
    call: C;
    key: string;
} & Refusal) | {
    kind: "closed";
    call: C;
    key: string;
} | {
    kind: "notSent";
    call: C;
    key: string;
    reason: "offline" | "journal" | "busy";
} | {
    kind: "byHand";
    call: C;
    key: string;
    sentence: string;
    at: number;
} : never;
export type Result<C extends Call> = C extends "issue" ? Schemas["Issued"] : Schemas["Redeemed"];
/**
 * Money may or may not have moved. `retryAfter` is in seconds; null: asking does not help, only `resolveByHand` does.
 */
export type Unknown<C extends Call = "issue" | "redeem"> = {
    kind: "unknown";
    call: C;
    key: string;
    reference: string | null;
    retryAfter: number | null;
};
export type Outcome<C extends Call = "issue" | "redeem"> = C extends Call ? Settled<C> | Unknown<C> : never;
export type RedeemRequest = Schemas["RedeemRequest"];
/**
 * The amounts are numbers, or decimal text such as "125.50".
 */
export type RedeemBody = Omit<RedeemRequest, "redeemAmount" | "purchaseAmount"> & {
    redeemAmount: number | string;
    purchaseAmount: number | string;
};
export type IssueOutcome = Outcome<"issue">;
export type RedeemOutcome = Outcome<"redeem">;
export type MoneyCallOptions = {
    client: import("./index.js").PortalClient;
    journal: import("./journal.js").Journal;
    /**
     * the id of the session's merchant: what was begun for another one is never asked for. Null for
     * a platform administrator without one
     */
    merchant: string | null;
    /**
     * the id of the till
     */
    till?: string | null | undefined;
    now?: (() => number) | undefined;
    newKey?: (() => string) | undefined;
    isOnline?: (() => boolean) | undefined;
    /**
     * resolves early once the signal is aborted
     */
    sleep?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
    /**
     * milliseconds after which a call without an answer is unknown
     */
    timeout?: number | undefined;
};
/**
 * The press of the button. Nothing else holds what it takes to send.
 */
export type Attempt<C extends Call> = {
    key: string;
    /**
     * of the first request; it never rejects
     */
    outcome: Promise<Outcome<C>>;
    /**
     * looks the operation up, or sends the same call again: for two
     * minutes, then it closes the intent
     */
    resolveUnknown: (options?: QuestionOptions) => Question;
    /**
     * from now on nothing is sent, only looked up or closed
     */
    turnAway: () => void;
};
export type QuestionOptions = {
    onWait?: (wait: {
        until: number;
        entry: Entry;
    }) => void;
};
export type Question = {
    /**
     * null once stopped, or if there is no such entry
     */
    outcome: Promise<Outcome | null>;
    /**
     * ends the present wait, and looks up or closes
     */
    askNow: () => void;
    /**
     * ends the present wait: what it waited for is done now
     */
    skipWait: () => void;
    stop: () => void;
};
