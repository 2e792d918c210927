/** @param {MoneyCallOptions} options */
export function createMoneyCalls({ client, journal, now, newKey, isOnline, sleep, timeout, }: MoneyCallOptions): {
    /**
     * Sells a card.
     *
     * @param {Schemas["IssueRequest"]} body
     * @param {Note} [note]
     * @returns {Promise<IssueOutcome>}
     */
    issue(body: Schemas["IssueRequest"], note?: Note): Promise<IssueOutcome>;
    /**
     * Takes an amount off a card.
     *
     * @param {Schemas["RedeemRequest"]} body
     * @param {Note} [note]
     * @returns {Promise<RedeemOutcome>}
     */
    redeem(body: Schemas["RedeemRequest"], note?: Note): Promise<RedeemOutcome>;
    /**
     * Asks until the outcome is known: after the journaled wait, then after half as much again each time, up to 30 seconds.
     *
     * @param {string} key
     * @param {{onWait?: (wait: {until: number, entry: Entry}) => void}} [options]
     * @returns {Question}
     */
    resolveUnknown(key: string, { onWait }?: {
        onWait?: (wait: {
            until: number;
            entry: Entry;
        }) => void;
    }): Question;
};
export type Schemas = import("./schema.js").components["schemas"];
export type ApiError = import("./errors.js").ApiError;
export type Entry = import("./journal.js").Entry;
export type Note = import("./journal.js").Note;
export type Settled<C extends "issue" | "redeem", R> = {
    kind: "done";
    call: C;
    key: string;
    result: R;
    replayed: boolean;
} | {
    kind: "refused";
    call: C;
    key: string;
    status: number | null;
    error: ApiError;
    retryAfter: number | null;
} | {
    kind: "notSent";
    call: C;
    key: string;
    reason: "offline" | "journal";
};
/**
 * Money may or may not have moved. `retryAfter` is in seconds; null: asking no longer helps, since the API has forgotten the
 * key.
 */
export type Unknown<C extends "issue" | "redeem"> = {
    kind: "unknown";
    call: C;
    key: string;
    reference: string | null;
    retryAfter: number | null;
};
export type IssueOutcome = Settled<"issue", Schemas["Issued"]> | Unknown<"issue">;
export type RedeemOutcome = Settled<"redeem", Schemas["Redeemed"]> | Unknown<"redeem">;
export type Outcome = IssueOutcome | RedeemOutcome;
/**
 * What a response says of a money call, whatever the call. `isForgotten`: there is no operation with the reference.
 * `isRestored`: data was restored from a backup, and with it what the API knew of the key.
 */
export type Answer = {
    kind: "succeeded";
    body: unknown;
    replayed: boolean;
} | {
    kind: "refused";
    status: number | null;
    error: ApiError;
    retryAfter: number | null;
} | {
    kind: "unknown";
    reference: string | null;
    retryAfter: number | null;
    isForgotten?: true;
    isRestored?: true;
};
export type MoneyCallOptions = {
    client: import("./index.js").PortalClient;
    journal: import("./journal.js").Journal;
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
export type Question = {
    /**
     * null once stopped
     */
    outcome: Promise<Outcome | null>;
    /**
     * ends the present wait
     */
    askNow: () => void;
    stop: () => void;
};
