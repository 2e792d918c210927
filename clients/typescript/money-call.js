// Issue and redeem without ever moving money twice.
//
// Each intent gets an idempotency key, and is written to a journal before it is sent. Whatever happens then - a timeout, a
// dropped connection, a reload - the same key and the same body are sent again, or the operation is looked up by its
// reference, until the outcome is known.

import { property, readError, retryAfterSeconds } from "./errors.js";

/** @typedef {import("./schema.js").components["schemas"]} Schemas */
/** @typedef {import("./errors.js").ApiError} ApiError */
/** @typedef {import("./journal.js").Entry} Entry */
/** @typedef {import("./journal.js").Note} Note */

/**
 * @template {"issue" | "redeem"} C
 * @template R
 * @typedef {{kind: "done", call: C, key: string, result: R, replayed: boolean}
 *   | {kind: "refused", call: C, key: string, status: number | null, error: ApiError, retryAfter: number | null}
 *   | {kind: "notSent", call: C, key: string, reason: "offline" | "journal"}} Settled
 */

/**
 * Money may or may not have moved. `retryAfter` is in seconds; null: asking no longer helps, since the API has forgotten the
 * key.
 *
 * @template {"issue" | "redeem"} C
 * @typedef {{kind: "unknown", call: C, key: string, reference: string | null, retryAfter: number | null}} Unknown
 */

/** @typedef {Settled<"issue", Schemas["Issued"]> | Unknown<"issue">} IssueOutcome */
/** @typedef {Settled<"redeem", Schemas["Redeemed"]> | Unknown<"redeem">} RedeemOutcome */
/** @typedef {IssueOutcome | RedeemOutcome} Outcome */

/**
 * What a response says of a money call, whatever the call. `isForgotten`: there is no operation with the reference.
 * `isRestored`: data was restored from a backup, and with it what the API knew of the key.
 *
 * @typedef {{kind: "succeeded", body: unknown, replayed: boolean}
 *   | {kind: "refused", status: number | null, error: ApiError, retryAfter: number | null}
 *   | {kind: "unknown", reference: string | null, retryAfter: number | null, isForgotten?: true, isRestored?: true}} Answer
 */

/**
 * @typedef {object} MoneyCallOptions
 * @property {import("./index.js").PortalClient} client
 * @property {import("./journal.js").Journal} journal
 * @property {() => number} [now]
 * @property {() => string} [newKey]
 * @property {() => boolean} [isOnline]
 * @property {(milliseconds: number, signal: AbortSignal) => Promise<void>} [sleep] resolves early once the signal is aborted
 * @property {number} [timeout] milliseconds after which a call without an answer is unknown
 */

/**
 * @typedef {object} Question
 * @property {Promise<Outcome | null>} outcome null once stopped
 * @property {() => void} askNow ends the present wait
 * @property {() => void} stop
 */

/** The API keeps a key for 24 hours. Sending it again later could move money a second time. */
const KEY_LIFETIME = 20 * 3600 * 1000;
const DEFAULT_RETRY_AFTER = 2;
const MAX_RETRY_AFTER = 30;
const BACKOFF = 1.5;

/** @param {MoneyCallOptions} options */
export function createMoneyCalls({
  client,
  journal,
  now = Date.now,
  newKey = () => crypto.randomUUID(),
  isOnline = () => navigator.onLine !== false,
  sleep = sleepUntil,
  timeout = 35_000,
}) {
  /** Milliseconds by which the API's clock is ahead of this one. */
  let ahead = 0;
  client.use({
    onResponse({ response }) {
      const time = Date.parse(response.headers.get("date") ?? "");
      if (!Number.isNaN(time)) ahead = time - now();
      return undefined;
    },
  });

  return {
    /**
     * Sells a card.
     *
     * @param {Schemas["IssueRequest"]} body
     * @param {Note} [note]
     * @returns {Promise<IssueOutcome>}
     */
    async issue(body, note = {}) {
      const outcome = await start({ ...newEntry(note), call: "issue", body, outcome: null });
      return outcome.call === "issue" ? outcome : impossible();
    },

    /**
     * Takes an amount off a card.
     *
     * @param {Schemas["RedeemRequest"]} body
     * @param {Note} [note]
     * @returns {Promise<RedeemOutcome>}
     */
    async redeem(body, note = {}) {
      const outcome = await start({ ...newEntry(note), call: "redeem", body, outcome: null });
      return outcome.call === "redeem" ? outcome : impossible();
    },

    /**
     * Asks until the outcome is known: after the journaled wait, then after half as much again each time, up to 30 seconds.
     *
     * @param {string} key
     * @param {{onWait?: (wait: {until: number, entry: Entry}) => void}} [options]
     * @returns {Question}
     */
    resolveUnknown(key, { onWait } = {}) {
      const stop = new AbortController();
      let wake = new AbortController();

      /** @returns {Promise<Outcome | null>} */
      async function ask() {
        const entry = await journal.get(key);
        if (!entry) return null;
        if (entry.outcome) return entry.outcome;
        let wait = entry.retryAfter;
        for (;;) {
          if (cannotBeAsked(entry)) return unknown(entry, null);
          wake = new AbortController();
          onWait?.({ until: now() + wait * 1000, entry });
          await sleep(wait * 1000, AbortSignal.any([wake.signal, stop.signal]));
          if (stop.signal.aborted) return null;
          const outcome = entry.reference === null ? await sendAgain(entry) : await lookUp(entry);
          if (outcome.kind !== "unknown") return outcome;
          wait = Math.max(Math.min(wait * BACKOFF, MAX_RETRY_AFTER), outcome.retryAfter ?? 0);
        }
      }

      return { outcome: ask(), askNow: () => wake.abort(), stop: () => stop.abort() };
    },
  };

  /** @param {Note} note */
  function newEntry(note) {
    const startedAt = now();
    const madeAt = new Date(startedAt + ahead).toISOString();
    return { key: newKey(), startedAt, madeAt, steps: [], reference: null, retryAfter: DEFAULT_RETRY_AFTER, note };
  }

  /**
   * @param {Entry} entry
   * @returns {Promise<Outcome>}
   */
  async function start(entry) {
    if (!isOnline()) return settle(entry, { kind: "notSent", reason: "offline" });
    entry.steps.push({ what: "sent", at: now() });
    try {
      // Before the call leaves: a page that ends now finds the key again.
      await journal.put(entry);
    } catch {
      return { kind: "notSent", call: entry.call, key: entry.key, reason: "journal" };
    }
    return record(entry, await answerTo(() => request(entry), (response, body) => readAnswer(response, body, false)));
  }

  /**
   * Sends the same body with the same key again.
   *
   * @param {Entry} entry
   */
  async function sendAgain(entry) {
    entry.steps.push({ what: "sentAgain", at: now() });
    return record(entry, await answerTo(() => request(entry), (response, body) => readAnswer(response, body, true)));
  }

  /** @param {Entry} entry */
  function request(entry) {
    const header = { "Idempotency-Key": entry.key, ...(entry.madeAt && { "Idempotency-Made-At": entry.madeAt }) };
    const signal = AbortSignal.timeout(timeout);
    if (entry.body === null) return impossible();
    return entry.call === "issue"
      ? client.POST("/api/bff/pos/issue", { params: { header }, body: entry.body, signal })
      : client.POST("/api/bff/pos/redeem", { params: { header }, body: entry.body, signal });
  }

  /** @param {Entry} entry */
  async function lookUp(entry) {
    const reference = entry.reference ?? impossible();
    entry.steps.push({ what: "asked", at: now() });
    const signal = AbortSignal.timeout(timeout);
    const ask = () => client.GET("/api/bff/pos/operations/{reference}", { params: { path: { reference } }, signal });
    return record(entry, await answerTo(ask, readOperation));
  }

  /**
   * @param {Entry} entry
   * @param {Answer} answer
   * @returns {Promise<Outcome>}
   */
  async function record(entry, answer) {
    if (answer.kind === "refused") return settle(entry, answer);
    if (answer.kind === "succeeded") {
      const { body, replayed } = answer;
      const issued = property(body, "data");
      if (entry.call === "issue" && isIssued(issued)) {
        return settle(entry, { kind: "done", call: "issue", result: issued, replayed });
      }
      if (entry.call === "redeem" && isRedeemed(body)) {
        return settle(entry, { kind: "done", call: "redeem", result: body, replayed });
      }
    }
    entry.steps.push({ what: "noAnswer", at: now() });
    if (answer.kind === "unknown") {
      entry.reference = answer.isForgotten ? null : (answer.reference ?? entry.reference);
      entry.retryAfter = answer.retryAfter ?? DEFAULT_RETRY_AFTER;
      if (answer.isRestored) entry.isRestored = true;
    }
    // If this fails, the entry in the journal still has the key and the body.
    await journal.put(entry).catch(() => {});
    return unknown(entry, cannotBeAsked(entry) ? null : entry.retryAfter);
  }

  /**
   * @param {Entry} entry
   * @param {{kind: "done", call: "issue", result: Schemas["Issued"], replayed: boolean}
   *   | {kind: "done", call: "redeem", result: Schemas["Redeemed"], replayed: boolean}
   *   | {kind: "refused", status: number | null, error: ApiError, retryAfter: number | null}
   *   | {kind: "notSent", reason: "offline" | "journal"}} outcome
   * @returns {Promise<Outcome>}
   */
  async function settle(entry, outcome) {
    const { key } = entry;
    if (entry.call === "issue" && !(outcome.kind === "done" && outcome.call === "redeem")) {
      entry.outcome = { ...outcome, call: "issue", key };
    } else if (entry.call === "redeem" && !(outcome.kind === "done" && outcome.call === "issue")) {
      entry.outcome = { ...outcome, call: "redeem", key };
    }
    entry.body = null;
    // If this fails, the entry stays open and asking again gives the same outcome.
    await journal.put(entry).catch(() => {});
    return entry.outcome ?? impossible();
  }

  /** @param {Entry} entry */
  function cannotBeAsked(entry) {
    const isTooOld = now() - entry.startedAt > KEY_LIFETIME;
    return entry.reference === null && (isTooOld || entry.isRestored === true);
  }
}

/**
 * Whatever fails on the way - the connection, the deadline, reading the body - is no answer.
 *
 * @param {() => Promise<{data?: unknown, error?: unknown, response: Response}>} call
 * @param {(response: Response, body: unknown) => Answer} read
 * @returns {Promise<Answer>}
 */
async function answerTo(call, read) {
  try {
    const { data, error, response } = await call();
    return read(response, response.ok ? data : error);
  } catch {
    return { kind: "unknown", reference: null, retryAfter: null };
  }
}

/**
 * @param {Response} response
 * @param {unknown} body
 * @param {boolean} repeated the call was sent before: then an error that is only about this attempt leaves the first one open
 * @returns {Answer}
 */
function readAnswer(response, body, repeated) {
  const { status } = response;
  const retryAfter = retryAfterSeconds(response);
  if (response.ok) return { kind: "succeeded", body, replayed: response.headers.get("idempotent-replayed") === "true" };
  const error = readError(body);
  if (property(error?.details, "outcome") === "unknown") {
    const reference = property(error?.details, "reference");
    return { kind: "unknown", reference: typeof reference === "string" ? reference : null, retryAfter };
  }
  const open = { kind: /** @type {const} */ ("unknown"), reference: null, retryAfter };
  const refused = { kind: /** @type {const} */ ("refused"), status, retryAfter };
  if (error === null) {
    // No answer of the API, but of something before it. A 4xx did not pass.
    const message = `Status ${status}`;
    const passed = status >= 500 || status === 408;
    return passed || repeated ? open : { ...refused, error: { message, code: null, details: null } };
  }
  // An error of the card network has no code of the API. The operation is closed: nothing moved, nor will it.
  if (error.code === null) return { ...refused, error };
  if (error.code === "IN_PROGRESS") return open;
  // Somebody has to look whether it was carried out before.
  if (error.code === "RESTORED") return { ...open, isRestored: true };
  if (status >= 500 && error.code !== "TOO_LITTLE_TIME") return open;
  // The API looks for an earlier request with this key before it checks these.
  const isFinal = status === 400 || status === 422 || error.code === "MERCHANT_NOT_ACTIVE";
  return repeated && !isFinal ? open : { ...refused, error };
}

/**
 * @param {Response} response
 * @param {unknown} body
 * @returns {Answer}
 */
function readOperation(response, body) {
  const operation = property(body, "data");
  const result = property(operation, "result");
  switch (property(operation, "status")) {
    case "SUCCEEDED":
      return { kind: "succeeded", body: result, replayed: true };
    case "FAILED": {
      const error = readError(result) ?? { message: "The card network refused.", code: null, details: null };
      return { kind: "refused", status: null, error, retryAfter: null };
    }
    default: {
      const open = { kind: /** @type {const} */ ("unknown"), reference: null, retryAfter: retryAfterSeconds(response) };
      // Then only the key can tell.
      return response.status === 404 ? { ...open, isForgotten: true } : open;
    }
  }
}

/**
 * @param {unknown} value
 * @returns {value is Schemas["Issued"]}
 */
function isIssued(value) {
  return typeof property(value, "orderId") === "string";
}

/**
 * @param {unknown} value
 * @returns {value is Schemas["Redeemed"]}
 */
function isRedeemed(value) {
  return property(value, "ok") === true && typeof property(value, "redemptionId") === "string";
}

/**
 * @param {Entry} entry
 * @param {number | null} retryAfter
 * @returns {Outcome}
 */
function unknown({ call, key, reference }, retryAfter) {
  const fields = { kind: /** @type {const} */ ("unknown"), key, reference, retryAfter };
  return call === "issue" ? { ...fields, call } : { ...fields, call };
}

/** @returns {never} */
function impossible() {
  throw new Error("A journal entry does not fit its call.");
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function sleepUntil(milliseconds, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
