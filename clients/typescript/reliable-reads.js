// A fetch that repeats reads. Writes pass through, once and as they are: what is safe to repeat of them, money-call.js knows.

import { retryAfterSeconds } from "./errors.js";
import { sleepUntil } from "./sleep.js";

/**
 * @typedef {object} ReliableReadsOptions
 * @property {(request: Request) => Promise<Response>} [fetch] instead of the global fetch
 * @property {number} [attempts] at most, the first one included; 3
 * @property {number} [timeout] milliseconds for each attempt, the body included; 10,000
 * @property {number} [maxWait] milliseconds between two attempts; 10,000. A response that asks for more is returned immediately
 * @property {(milliseconds: number, signal: AbortSignal) => Promise<void>} [sleep] resolves early once the signal is aborted
 * @property {() => number} [random] from 0 to 1
 */

const REPEATED_STATUSES = [429, 502, 503, 504];
const FIRST_WAIT = 400; // milliseconds
const JITTER = 0.5; // of the wait
/** A response with one of these must not have a body. */
const EMPTY_STATUSES = [204, 205, 304];

/**
 * Repeats a GET that got no answer, or one with the status 429, 502, 503 or 504: after the `Retry-After` of the answer, or after
 * 0.4, 0.8, 1.6 … seconds, and up to half as much again, so that not all clients come back at once.
 *
 * @param {ReliableReadsOptions} [options]
 * @returns {(request: Request) => Promise<Response>} for `createPortalClient({fetch})`
 */
export function reliableReads({
  fetch = (request) => globalThis.fetch(request),
  attempts = 3,
  timeout = 10_000,
  maxWait = 10_000,
  sleep = sleepUntil,
  random = Math.random,
} = {}) {
  return async (request) => {
    if (request.method !== "GET") return fetch(request);
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= attempts;
      let wait = FIRST_WAIT * 2 ** (attempt - 1);
      try {
        const response = await read(request, fetch, timeout);
        if (isLast || !REPEATED_STATUSES.includes(response.status)) return response;
        wait = Math.max(wait, (retryAfterSeconds(response) ?? 0) * 1000);
        if (wait > maxWait) return response;
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
      }
      await sleep(Math.min(wait * (1 + JITTER * random()), maxWait), request.signal);
    }
  };
}

/**
 * One attempt. It reads the body as well, so that a connection that breaks there is noticed while the request can be repeated.
 *
 * @param {Request} request
 * @param {(request: Request) => Promise<Response>} fetch
 * @param {number} timeout
 */
async function read(request, fetch, timeout) {
  request.signal.throwIfAborted();
  // Safari 16 has no AbortSignal.any.
  const attempt = new AbortController();
  const abort = () => attempt.abort(request.signal.reason);
  request.signal.addEventListener("abort", abort);
  const timer = setTimeout(
    () => attempt.abort(new DOMException(`No answer within ${timeout} ms.`, "TimeoutError")),
    timeout,
  );
  try {
    const response = await fetch(new Request(request, { signal: attempt.signal }));
    const { status, statusText, headers } = response;
    const body = EMPTY_STATUSES.includes(status) ? null : await response.arrayBuffer();
    return new Response(body, { status, statusText, headers });
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", abort);
  }
}
