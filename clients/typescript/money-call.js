// Issue and redeem without ever moving money twice, or after all that nobody wants any more.
//
// Each intent gets an idempotency key, and is written to a journal before it is sent. Only the attempt that `issue` and
// `redeem` return can send it: the press of the button, and repeats of it while its screen is open. All else - a reload, the
// next customer, another tab, another day - has the key alone, and with it looks the operation up, or closes the intent: then it
// can never be carried out any more. So asking what became of a call never moves money.

import { NO_ANSWER, readAnswer, readOperation } from "./answer.js";
import { property } from "./errors.js";
import { newestFirst } from "./journal.js";
import { sleepUntil } from "./sleep.js";

/** @typedef {import("./schema.js").components["schemas"]} Schemas */
/** @typedef {import("./answer.js").Answer} Answer */
/** @typedef {import("./answer.js").Refusal} Refusal */
/** @typedef {import("./journal.js").Entry} Entry */
/** @typedef {import("./journal.js").Note} Note */
/** @typedef {Entry["call"]} Call */

/**
 * - `done`: the money moved. `result` is null where the API knows that it did, but not the details any more.
 * - `refused`: nothing moved, nor will it.
 * - `closed`: the intent was closed before it was carried out. Nothing moved, nor will it.
 * - `notSent`: it never left this device. `busy`: the card has a call whose outcome is not known.
 * - `byHand`: somebody has checked what became of it.
 *
 * @template {Call} [C=Call]
 * @typedef {C extends Call ? {kind: "done", call: C, key: string, result: Result<C> | null, replayed: boolean}
 *   | ({kind: "refused", call: C, key: string} & Refusal)
 *   | {kind: "closed", call: C, key: string}
 *   | {kind: "notSent", call: C, key: string, reason: "offline" | "journal" | "busy"}
 *   | {kind: "byHand", call: C, key: string, sentence: string, at: number} : never} Settled
 */

/**
 * @template {Call} C
 * @typedef {C extends "issue" ? Schemas["Issued"] : Schemas["Redeemed"]} Result
 */

/**
 * Money may or may not have moved. `retryAfter` is in seconds; null: asking does not help, only `resolveByHand` does.
 *
 * @template {Call} [C=Call]
 * @typedef {{kind: "unknown", call: C, key: string, reference: string | null, retryAfter: number | null}} Unknown
 */

/**
 * @template {Call} [C=Call]
 * @typedef {C extends Call ? Settled<C> | Unknown<C> : never} Outcome
 */

/** @typedef {Schemas["RedeemRequest"]} RedeemRequest */
/**
 * The amounts are numbers, or decimal text such as "125.50".
 *
 * @typedef {Omit<RedeemRequest, "redeemAmount" | "purchaseAmount"> & {redeemAmount: number | string, purchaseAmount: number | string}} RedeemBody
 */

/** @typedef {Outcome<"issue">} IssueOutcome */
/** @typedef {Outcome<"redeem">} RedeemOutcome */

/**
 * @typedef {object} MoneyCallOptions
 * @property {import("./index.js").PortalClient} client
 * @property {import("./journal.js").Journal} journal
 * @property {string | null} merchant the id of the session's merchant: what was begun for another one is never asked for. Null for
 *   a platform administrator without one
 * @property {string | null} [till] the id of the till
 * @property {() => number} [now]
 * @property {() => string} [newKey]
 * @property {() => boolean} [isOnline]
 * @property {(milliseconds: number, signal: AbortSignal) => Promise<void>} [sleep] resolves early once the signal is aborted
 * @property {number} [timeout] milliseconds after which a call without an answer is unknown
 */

/**
 * The press of the button. Nothing else holds what it takes to send.
 *
 * @template {Call} C
 * @typedef {object} Attempt
 * @property {string} key
 * @property {Promise<Outcome<C>>} outcome of the first request; it never rejects
 * @property {(options?: QuestionOptions) => Question} resolveUnknown looks the operation up, or sends the same call again: for two
 *   minutes, then it closes the intent
 * @property {() => void} turnAway from now on nothing is sent, only looked up or closed
 */

/** @typedef {{onWait?: (wait: {until: number, entry: Entry}) => void}} QuestionOptions */

/**
 * @typedef {object} Question
 * @property {Promise<Outcome | null>} outcome null once stopped, or if there is no such entry
 * @property {() => void} askNow ends the present wait, and looks up or closes
 * @property {() => void} skipWait ends the present wait: what it waited for is done now
 * @property {() => void} stop
 */

/** Milliseconds after the press within which a call is sent. Later, the customer may have paid another way. */
const SENDING_TIME = 120_000;
/** The API remembers a key for two years. Then it would close it as if it had never been used. */
const KEY_MEMORY = 700 * 24 * 3600 * 1000;
const FIRST_WAIT = 2; // seconds
const MAX_WAIT = 30;
const BACKOFF = 1.5;

/** @param {MoneyCallOptions} options */
export function createMoneyCalls({
  client,
  journal,
  merchant,
  till = null,
  now = Date.now,
  newKey = () => crypto.randomUUID(),
  isOnline = () => globalThis.navigator?.onLine !== false,
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
  /** Known outcomes that the journal did not take yet. @type {Map<string, Entry>} */
  const unwritten = new Map();
  /** What is known of each entry, for when the journal cannot be read. @type {Map<string, Entry>} */
  const seen = new Map();

  return {
    /**
     * Sells a card.
     *
     * @param {Schemas["IssueRequest"]} body
     * @param {Note} [note]
     * @returns {Attempt<"issue">}
     */
    issue(body, note = {}) {
      const entry = newEntry("issue", body, note);
      return attempt(entry, (signal) => client.POST("/api/bff/pos/issue", { headers: headersOf(entry), body, signal }));
    },

    /**
     * Takes an amount off a card. Throws a `TypeError`, and does nothing, if an amount is text that is no decimal number.
     *
     * @param {RedeemBody} request
     * @param {Note} [note]
     * @returns {Attempt<"redeem">}
     */
    redeem(request, note = {}) {
      const body = {
        ...request,
        redeemAmount: amount("redeemAmount", request.redeemAmount),
        purchaseAmount: amount("purchaseAmount", request.purchaseAmount),
      };
      const entry = newEntry("redeem", body, note);
      return attempt(entry, (signal) =>
        client.POST("/api/bff/pos/redeem", { headers: headersOf(entry), body, signal }),
      );
    },

    /**
     * Asks until the outcome is known, by closing the intent: what was not carried out by then never will be. It waits as long
     * as the API wants, then half as long again each time, up to 30 seconds.
     *
     * @param {string} key
     * @param {QuestionOptions} [options]
     */
    resolveUnknown(key, options) {
      return question(key, null, options);
    },

    /**
     * Ends an entry whose outcome a person has found out elsewhere, such as by the card's balance.
     *
     * @param {string} key
     * @param {string} sentence what was found
     * @returns {Promise<Outcome | null>} null: there is no such entry
     */
    async resolveByHand(key, sentence) {
      if (!sentence.trim()) throw new Error("A sentence has to say what was found.");
      const entry = await read(key).catch(() => seen.get(key));
      if (!entry) return null;
      return (
        entry.outcome ?? settle(entry, { kind: "byHand", call: entry.call, key, sentence: sentence.trim(), at: now() })
      );
    },

    /** All entries, newest first, with outcomes that could not be written yet. */
    async entries() {
      const stored = await journal.all().catch(() => [...seen.values()]);
      // Nothing removes an open entry, but a browser or a person that deletes the journal: it is still asked for.
      for (const entry of seen.values())
        if (entry.outcome === null && !stored.some(({ key }) => key === entry.key)) stored.push(entry);
      seen.clear();
      for (const entry of [...stored, ...unwritten.values()]) seen.set(entry.key, entry);
      return [...seen.values()].sort(newestFirst);
    },

    /**
     * Whether the entry is the session's merchant's. What was begun for another one is not asked for: only `resolveByHand` ends
     * it.
     *
     * @param {Entry} entry
     */
    isOurs,
  };

  /**
   * @param {Call} call
   * @param {Entry["body"]} body
   * @param {Note} note
   * @returns {Entry}
   */
  function newEntry(call, body, note) {
    const startedAt = now();
    const madeAt = new Date(startedAt + ahead).toISOString();
    return {
      key: newKey(),
      call,
      body,
      merchant,
      till,
      startedAt,
      madeAt,
      steps: [],
      reference: null,
      retryAfter: 0,
      note,
      outcome: null,
    };
  }

  /** @param {Entry} entry */
  function headersOf({ key, madeAt }) {
    return {
      "Idempotency-Key": key,
      ...(merchant !== null && { "X-Expected-Merchant": merchant }),
      ...(madeAt && { "Idempotency-Made-At": madeAt }),
    };
  }

  /**
   * @template {Call} C
   * @param {Entry} entry
   * @param {(signal: AbortSignal) => Promise<{data?: unknown, error?: unknown, response: Response}>} request
   * @returns {Attempt<C>}
   */
  function attempt(entry, request) {
    /** @type {typeof request | null} */
    let send = request;
    const sender = {
      entry,
      turnAway: () => void (send = null),
      /** Null: nothing may be sent any more. */
      get send() {
        const age = now() - entry.startedAt;
        if (age < 0 || age > SENDING_TIME) send = null;
        return send;
      },
    };
    const outcome = /** @type {Promise<Outcome<C>>} */ (start(entry, sender));
    return {
      key: entry.key,
      outcome,
      resolveUnknown: (options) => question(entry.key, sender, options),
      turnAway: sender.turnAway,
    };
  }

  /**
   * @param {Entry} entry
   * @param {Sender} sender
   * @returns {Promise<Outcome>}
   */
  async function start(entry, sender) {
    const { call, key } = entry;
    if (!isOnline()) {
      const outcome = { kind: /** @type {const} */ ("notSent"), call, key, reason: /** @type {const} */ ("offline") };
      await keep({ ...entry, body: null, outcome });
      return outcome;
    }
    const sent = withStep(entry, "sent");
    try {
      // Before the call leaves: a page that ends now finds the key again.
      if (!(await journal.begin(sent))) return { kind: "notSent", call, key, reason: "busy" };
    } catch {
      return { kind: "notSent", call, key, reason: "journal" };
    }
    seen.set(key, sent);
    const { send } = sender;
    return send ? record(sent, sender, await answerTo(send, readAnswer)) : unknown(sent);
  }

  /**
   * @param {string} key
   * @param {Sender | null} sender
   * @param {QuestionOptions} [options]
   * @returns {Question}
   */
  function question(key, sender, { onWait } = {}) {
    let isStopped = false;
    let isAsked = false;
    let wake = new AbortController();

    /** @returns {Promise<Outcome | null>} */
    async function ask() {
      let entry = await read(key).catch(() => sender?.entry);
      let wait = Math.max(entry?.retryAfter ?? 0, sender?.send ? FIRST_WAIT : 0);
      for (;;) {
        if (!entry) return null;
        if (entry.outcome) return /** @type {Outcome} */ (entry.outcome);
        if (!canBeAsked(entry)) return unknown(entry);
        wake = new AbortController();
        isAsked = false;
        onWait?.({ until: now() + wait * 1000, entry });
        await sleep(wait * 1000, wake.signal);
        if (isStopped) return null;
        // Another tab may have ended it, or may have decided to close it.
        entry = await readAgain(entry);
        if (!entry || entry.outcome) continue;
        const outcome = await goOn(entry);
        if (outcome.kind !== "unknown") return outcome;
        wait = Math.max(Math.min(Math.max(wait, FIRST_WAIT) * BACKOFF, MAX_WAIT), outcome.retryAfter ?? 0);
        entry = await readAgain(entry);
      }
    }

    /** @param {Entry} entry */
    async function goOn(entry) {
      const send = entry.isClosing ? null : sender?.send;
      if (send && entry.reference !== null) return lookUp(entry, sender);
      if (!send || isAsked) return close(entry, sender);
      // Between the look into the journal and this note in it, another tab may have decided otherwise.
      const sent = await journal
        .change(entry.key, (stored) => (isSendable(stored) ? withStep(stored, "sentAgain") : stored))
        .catch(() => undefined);
      if (!sent) return close(entry, sender);
      // And the cashier may have turned away.
      const sendNow = sender?.send;
      return sendNow && isSendable(sent) ? record(sent, sender, await answerTo(sendNow, readAnswer)) : unknown(sent);
    }

    return {
      outcome: ask(),
      askNow() {
        isAsked = true;
        wake.abort();
      },
      skipWait: () => wake.abort(),
      stop() {
        isStopped = true;
        wake.abort();
      },
    };
  }

  /**
   * @param {Entry} entry
   * @param {Sender | null} sender
   */
  async function lookUp(entry, sender) {
    const reference = entry.reference ?? "";
    const asked = await update(entry, (stored) => withStep(stored, "asked"));
    const ask = (/** @type {AbortSignal} */ signal) =>
      client.GET("/api/bff/pos/operations/{reference}", { params: { path: { reference } }, signal });
    return record(asked, sender, await answerTo(ask, readOperation));
  }

  /**
   * Decides that the intent is not begun any more, and asks what became of it.
   *
   * @param {Entry} entry
   * @param {Sender | null} sender
   * @returns {Promise<Outcome>}
   */
  async function close(entry, sender) {
    sender?.turnAway();
    const closing = await update(entry, (stored) => ({ ...withStep(stored, "closed"), isClosing: true }));
    const merchantId = property(closing.body, "merchantId");
    const body = {
      kind: closing.call === "issue" ? /** @type {const} */ ("ISSUE") : /** @type {const} */ ("REDEEM"),
      idempotencyKey: closing.key,
      ...(typeof merchantId === "string" && { merchantId }),
    };
    const { "Idempotency-Key": _, ...headers } = headersOf(closing);
    const ask = (/** @type {AbortSignal} */ signal) =>
      client.POST("/api/bff/pos/operations/cancellation", { headers, body, signal });
    const answer = await answerTo(ask, readOperation);
    return record(closing, sender, answer.kind === "free" ? NO_ANSWER : answer);
  }

  /**
   * @param {Entry} entry
   * @param {Sender | null} sender
   * @param {Answer} answer
   * @returns {Promise<Outcome>}
   */
  async function record(entry, sender, answer) {
    const { call, key } = entry;
    switch (answer.kind) {
      case "moved":
        return settle(entry, {
          kind: "done",
          call,
          key,
          result: resultOf(call, answer.result),
          replayed: answer.replayed,
        });
      case "refused":
        return settle(entry, { kind: "refused", call, key, ...answer.refusal });
      case "closed":
        return settle(
          entry,
          entry.refusal ? { kind: "refused", call, key, ...entry.refusal } : { kind: "closed", call, key },
        );
      case "free":
        return close(await update(entry, (stored) => ({ ...stored, refusal: answer.refusal })), sender);
      case "unknown": {
        const { reference, retryAfter, isForgotten, isLost } = answer;
        return unknown(
          await update(entry, (stored) => ({
            ...withStep(stored, "noAnswer"),
            reference: isForgotten ? null : (reference ?? stored.reference),
            retryAfter: retryAfter ?? 0,
            ...(isLost && { isLost }),
          })),
        );
      }
    }
  }

  /**
   * @param {Entry} entry
   * @param {Settled} outcome
   * @returns {Promise<Outcome>}
   */
  async function settle(entry, outcome) {
    // What the API says counts for more than what somebody has found.
    const end = (/** @type {Entry} */ stored) =>
      stored.outcome && stored.outcome.kind !== "byHand" ? stored : { ...stored, outcome, body: null };
    try {
      const settled = await journal.change(entry.key, end);
      // The journal was deleted meanwhile.
      if (!settled) await keep(end(entry));
      return /** @type {Outcome} */ (settled?.outcome ?? outcome);
    } catch {
      unwritten.set(entry.key, end(entry));
      void writeLater(entry.key, () => journal.change(entry.key, end));
      return /** @type {Outcome} */ (outcome);
    }
  }

  /**
   * Adds an entry that is over.
   *
   * @param {Entry} entry
   */
  async function keep(entry) {
    await journal.begin(entry).catch(() => {
      unwritten.set(entry.key, entry);
      void writeLater(entry.key, () => journal.begin(entry));
    });
  }

  /**
   * @param {string} key
   * @param {() => Promise<unknown>} write
   */
  async function writeLater(key, write) {
    for (let wait = 1; unwritten.has(key); wait = Math.min(wait * BACKOFF, MAX_WAIT)) {
      await sleep(wait * 1000, new AbortController().signal);
      await write().then(
        () => unwritten.delete(key),
        () => {},
      );
    }
  }

  /**
   * Changes an entry that is open. If the journal cannot be written, what it has is enough to ask by.
   *
   * @param {Entry} entry
   * @param {(stored: Entry) => Entry} change
   * @returns {Promise<Entry>}
   */
  async function update(entry, change) {
    try {
      const changed = await journal.change(entry.key, (stored) => (stored.outcome ? stored : change(stored)));
      if (changed) return changed;
      // The journal was deleted meanwhile.
      await journal.begin(change(entry));
      return change(entry);
    } catch {
      return change(entry);
    }
  }

  /** @param {string} key */
  async function read(key) {
    return unwritten.get(key) ?? (await journal.get(key)) ?? seen.get(key);
  }

  /**
   * A journal that cannot be read, or was deleted, does not say whether the call may still be sent.
   *
   * @param {Entry} entry
   */
  async function readAgain(entry) {
    return (
      (await (unwritten.get(entry.key) ?? journal.get(entry.key).catch(() => undefined))) ?? {
        ...entry,
        isClosing: true,
      }
    );
  }

  /**
   * @param {Entry} entry
   * @param {Entry["steps"][0]["what"]} what
   * @returns {Entry}
   */
  function withStep(entry, what) {
    return { ...entry, steps: [...entry.steps, { what, at: now() }] };
  }

  /** @param {Entry} entry */
  function isSendable({ isClosing, outcome }) {
    return !isClosing && outcome === null;
  }

  /** @param {Entry} entry */
  function isOurs(entry) {
    return entry.merchant === merchant;
  }

  /** @param {Entry} entry */
  function canBeAsked(entry) {
    return isOurs(entry) && !entry.isLost && now() - entry.startedAt < KEY_MEMORY;
  }

  /**
   * @param {Entry} entry
   * @returns {Outcome}
   */
  function unknown(entry) {
    const { call, key, reference, retryAfter } = entry;
    return /** @type {Outcome} */ ({
      kind: "unknown",
      call,
      key,
      reference,
      retryAfter: canBeAsked(entry) ? retryAfter : null,
    });
  }

  /**
   * Whatever fails on the way - the connection, the deadline, reading the body - is no answer.
   *
   * @param {(signal: AbortSignal) => Promise<{data?: unknown, error?: unknown, response: Response}>} request
   * @param {(response: Response, body: unknown) => Answer} readBody
   * @returns {Promise<Answer>}
   */
  async function answerTo(request, readBody) {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeout);
    try {
      const { data, error, response } = await request(deadline.signal);
      return readBody(response, response.ok ? data : error);
    } catch {
      return NO_ANSWER;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * A number has the digits of its text up to 15 of them.
 *
 * @param {string} name
 * @param {number | string} value
 */
function amount(name, value) {
  if (typeof value === "number") return value;
  if (/^\d+(\.\d+)?$/.test(value) && value.replace(".", "").length <= 15) return Number(value);
  throw new TypeError(`${name}: must be a number, or decimal text such as "125.50".`);
}

/** @typedef {{entry: Entry, turnAway: () => void, readonly send: ((signal: AbortSignal) => Promise<{data?: unknown, error?: unknown, response: Response}>) | null}} Sender */

/**
 * What the API says of a call that went through; null where it is not what the API promises.
 *
 * @param {Call} call
 * @param {unknown} body
 * @returns {any}
 */
function resultOf(call, body) {
  if (call === "redeem") return typeof property(body, "redemptionId") === "string" ? body : null;
  const issued = property(body, "data");
  return typeof property(issued, "orderId") === "string" ? issued : null;
}
