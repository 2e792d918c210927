/**
 * Repeats a GET that got no answer, or one with the status 429, 502, 503 or 504: after the `Retry-After` of the answer, or after
 * 0.4, 0.8, 1.6 … seconds, and up to half as much again, so that not all clients come back at once.
 *
 * @param {ReliableReadsOptions} [options]
 * @returns {(request: Request) => Promise<Response>} for `createPortalClient({fetch})`
 */
export function reliableReads({ fetch, attempts, timeout, maxWait, sleep, random, }?: ReliableReadsOptions): (request: Request) => Promise<Response>;
export type ReliableReadsOptions = {
    /**
     * instead of the global fetch
     */
    fetch?: ((request: Request) => Promise<Response>) | undefined;
    /**
     * at most, the first one included; 3
     */
    attempts?: number | undefined;
    /**
     * milliseconds for each attempt, the body included; 10,000
     */
    timeout?: number | undefined;
    /**
     * milliseconds between two attempts; 10,000. A response that asks for more is returned immediately
     */
    maxWait?: number | undefined;
    /**
     * resolves early once the signal is aborted
     */
    sleep?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
    /**
     * from 0 to 1
     */
    random?: (() => number) | undefined;
};
