// What the till knows and does, without a screen: pairing, cards, offers, and money calls with their journal.

import { config } from "/config.js";
import { createPortalClient, readError, retryAfterSeconds } from "/portal-api/index.js";
import { readPairing, readSetAside, writePairing, writeSetAside } from "./storage.js";

/** @typedef {import("./storage.js").Pairing} Pairing */
/** @typedef {import("./card.js").Card} Card */
/** @typedef {import("/portal-api/journal.js").Entry} Entry */
/** @typedef {import("/portal-api/money-call.js").Outcome} Outcome */
/** @typedef {import("/portal-api/index.js").Schemas["CatalogItem"]} Offer */
/** @typedef {import("./delivery.js").Delivery} Delivery */

/**
 * A request that failed. `status` is 0 without a connection.
 *
 * @typedef {object} Failure
 * @property {number} status
 * @property {unknown} details
 * @property {number | null} retryAfter seconds
 */

/** @typedef {typeof import("./later.js")} Later */

const DAY = 24 * 3600 * 1000;
const RECONNECT_INTERVAL = 10_000; // milliseconds

/** Where the browser has no storage: then no money call leaves. @type {import("/portal-api/journal.js").Journal} */
const NO_JOURNAL = {
  put: () => Promise.reject(new Error("There is no storage.")),
  get: async () => undefined,
  all: async () => [],
  remove: async () => {},
};

/** Emits `change` whenever something to be shown has changed. */
export class Till extends EventTarget {
  /** @type {Pairing | null} */
  pairing = readPairing();
  /** The token was refused: pair again, and go on where it stopped. */
  isSignedOut = false;
  isOnline = navigator.onLine;
  /** @type {Later | null} */
  later = null;
  /** @type {Entry[]} newest first */
  entries = [];
  /** The call that is on its way. @type {{call: "issue" | "redeem", amount: number, currency: string} | null} */
  moving = null;
  /** When the outcome of a key is asked for again; null: it cannot be known any more. @type {Map<string, number | null>} */
  waits = new Map();
  /** Late answers that nobody has read yet. @type {Entry[]} */
  late = [];
  /** Names of offers by their ids. @type {Map<string | null, string>} */
  offerNames = new Map();
  /** Cards as they are after a refusal, by the key of the call; null: not to be found. @type {Map<string, Card | null>} */
  cardsNow = new Map();
  /** A redemption that is being given back. @type {import("./give-back-view.js").Redemption | null} */
  givingBack = null;

  /** For routes that need no session. */
  #public = createPortalClient({ baseUrl: config.api });
  /** The last code, and the number of the attempts to pair by it. */
  #pairingAttempt = { code: "", number: "" };
  #client = this.#public;
  #setAside = readSetAside();
  /** @type {Map<string, import("/portal-api/money-call.js").Question>} */
  #questions = new Map();
  /** @type {import("/portal-api/journal.js").Journal | null} */
  #journal = null;
  /** @type {ReturnType<Later["createMoneyCalls"]> | null} */
  #calls = null;
  /** @type {Promise<void> | null} */
  #prepared = null;

  /** What the first screen does not need. */
  async load() {
    this.later = await import("./later.js");
    return this.later;
  }

  constructor() {
    super();
    this.#connect();
  }

  async start() {
    addEventListener("online", () => this.#setOnline(true));
    addEventListener("offline", () => this.#setOnline(false));
    await this.#prepare();
    for (const { key } of this.open) void this.#watch(key);
    this.#changed();
    if (this.pairing) await this.#renew();
    if (this.isOnline) void this.later?.keepForOffline();
    // The device has a network, but the API did not answer: look whether it does again.
    setInterval(() => !this.isOnline && navigator.onLine && void this.#renew(), RECONNECT_INTERVAL);
    // Each look at the session prolongs it; a till that nobody reloads does it daily.
    setInterval(() => {
      void this.#renew();
      void this.#forgetOldEntries();
    }, DAY);
  }

  /** Resolves once money calls can be journaled. */
  #prepare() {
    this.#prepared ??= (async () => {
      const { openIndexedDbJournal } = await this.load();
      this.#journal = await openIndexedDbJournal("till").catch(() => NO_JOURNAL);
      this.#connect();
      await this.#forgetOldEntries();
      this.entries = await this.#journal.all();
    })();
    return this.#prepared;
  }

  /** Money calls whose outcome is not known. */
  get open() {
    return this.entries.filter(({ outcome }) => outcome === null);
  }

  /** The one of them that belongs on the screen. */
  get unanswered() {
    return this.open.find(({ key }) => !this.#setAside.has(key)) ?? null;
  }

  /** @param {string} key */
  entry(key) {
    return this.entries.find((entry) => entry.key === key) ?? null;
  }

  /**
   * @param {string} code
   * @returns {Promise<Failure | null>}
   */
  async pair(code) {
    // The same code has the same number, by which it is repeated if the answer was lost.
    if (this.#pairingAttempt.code !== code) this.#pairingAttempt = { code, number: crypto.randomUUID().replaceAll("-", "") };
    const header = { "Pairing-Attempt": this.#pairingAttempt.number };
    const answer = await attempt(this.#public.POST("/api/auth/tills/pairing", { params: { header }, body: { code }, credentials: "omit" }));
    if (!answer.data) return answer.failure;
    const { token, till, merchant } = answer.data.data;
    this.pairing = {
      token,
      till: { id: till.id, name: till.name, storeName: till.retailStoreName ?? null },
      merchant: { slug: merchant.slug, name: merchant.name, currency: merchant.currency ?? "EUR", primaryColor: null, secondaryColor: null },
    };
    this.isSignedOut = false;
    writePairing(this.pairing);
    this.#connect();
    for (const { key } of this.open) void this.#watch(key);
    this.#changed();
    await this.#loadColors();
    return null;
  }

  /** Ends the session, and forgets what the till knows. */
  async unpair() {
    await attempt(this.#client.DELETE("/api/auth/session"));
    for (const question of this.#questions.values()) question.stop();
    for (const { key } of this.entries) await this.#journal?.remove(key);
    this.#questions.clear();
    this.entries = [];
    this.late = [];
    this.pairing = null;
    writePairing(null);
    writeSetAside(new Set());
    this.#changed();
  }

  /** For look-ups. */
  get portal() {
    return { client: this.#client, public: this.#public };
  }

  /**
   * @param {Card} card
   * @param {number} total of the purchase, minor units
   * @param {number} amount to take off the card, minor units
   * @returns {Promise<Outcome>}
   */
  async redeem(card, total, amount) {
    await this.#prepare();
    const { fromMinor } = await this.load();
    const { currency } = card;
    return this.#track({ call: "redeem", amount, currency }, () => this.#money.redeem(
      {
        qrCode: card.code,
        redeemAmount: Number(fromMinor(amount, currency)),
        purchaseAmount: Number(fromMinor(total, currency)),
        currency,
      },
      { ref: card.ref, amount, total, currency, balance: card.balance },
    ));
  }

  /**
   * Issues a card: sold, or given as store credit.
   *
   * @param {Offer} offer
   * @param {number} amount minor units
   * @param {Delivery} delivery how the customer gets it
   * @param {{redemptionId: string, reason: string} | null} [refund] what it gives back
   * @returns {Promise<Outcome>}
   */
  async sell(offer, amount, delivery, refund = null) {
    await this.#prepare();
    const { fromMinor, deliveryNote } = await this.load();
    const { currency } = offer;
    const given = refund && { refundOf: refund.redemptionId, refundReason: refund.reason };
    return this.#track({ call: "issue", amount, currency }, () => this.#money.issue(
      { value: fromMinor(amount, currency), currency, giftCardOfferId: offer.id, deliveryDetails: delivery, ...given },
      { offer: offer.name, amount, currency, isCredit: offer.type === "REFUND_DIGITAL", ...given, ...deliveryNote(delivery) },
    ));
  }

  /**
   * An open call that may have taken money off this card.
   *
   * @param {string} code
   */
  openCallOf(code) {
    return this.open.find((entry) => entry.call === "redeem" && entry.body?.qrCode === code) ?? null;
  }

  /** @param {string} key */
  askNow(key) {
    this.#questions.get(key)?.askNow();
  }

  /** @param {string} key of a call that no longer belongs on the screen */
  setAside(key) {
    this.#setAside.add(key);
    writeSetAside(this.#setAside);
    this.#changed();
  }

  /** @param {string} key */
  dismiss(key) {
    this.late = this.late.filter((entry) => entry.key !== key);
    this.#changed();
  }

  get #money() {
    if (!this.#calls) throw new Error("The till has not started.");
    return this.#calls;
  }

  /**
   * @param {NonNullable<Till["moving"]>} moving
   * @param {() => Promise<Outcome>} send
   */
  async #track(moving, send) {
    this.moving = moving;
    this.#changed();
    try {
      const outcome = await send();
      this.entries = (await this.#journal?.all()) ?? [];
      if (outcome.kind === "unknown") void this.#watch(outcome.key);
      return outcome;
    } finally {
      this.moving = null;
      this.#changed();
    }
  }

  /**
   * Asks until the outcome is known.
   *
   * @param {string} key
   */
  async #watch(key) {
    this.#questions.get(key)?.stop();
    const question = this.#money.resolveUnknown(key, {
      onWait: ({ until }) => {
        this.waits.set(key, until);
        void this.#reload();
      },
    });
    this.#questions.set(key, question);
    const outcome = await question.outcome;
    if (outcome === null) return;
    this.#questions.delete(key);
    this.waits.delete(key);
    if (outcome.kind === "unknown") this.waits.set(key, null);
    await this.#reload();
    const entry = this.entry(key);
    if (entry?.outcome && this.#setAside.delete(key)) {
      writeSetAside(this.#setAside);
      this.late = [...this.late, entry];
      this.#changed();
    }
  }

  async #reload() {
    if (this.#journal) this.entries = await this.#journal.all();
    this.#changed();
  }

  async #forgetOldEntries() {
    for (const { key, outcome, startedAt } of (await this.#journal?.all()) ?? []) {
      if (outcome && Date.now() - startedAt > DAY) await this.#journal?.remove(key);
    }
  }

  /** A client and money calls with the present token. */
  #connect() {
    this.#client = createPortalClient({ baseUrl: config.api, token: this.pairing?.token ?? "none" });
    this.#client.use({
      onResponse: ({ response }) => {
        this.#setOnline(true);
        if (response.status === 401) this.#signOut();
      },
      // What was cancelled, or took too long, says nothing about the connection.
      onError: ({ error }) => void (isAborted(error) || this.#setOnline(false)),
    });
    if (this.later && this.#journal) this.#calls = this.later.createMoneyCalls({ client: this.#client, journal: this.#journal });
  }

  async #renew() {
    if (!this.pairing || this.isSignedOut) return;
    await attempt(this.#client.GET("/api/auth/session"));
    if (!this.pairing.merchant.primaryColor) await this.#loadColors();
  }

  async #loadColors() {
    if (!this.pairing) return;
    const { slug } = this.pairing.merchant;
    const answer = await attempt(this.#public.GET("/api/merchants/{slug}", { params: { path: { slug } }, credentials: "omit" }));
    if (!answer.data || !this.pairing) return;
    const { primaryColor, secondaryColor } = answer.data.data;
    const merchant = { ...this.pairing.merchant, primaryColor: primaryColor ?? null, secondaryColor: secondaryColor ?? null };
    this.pairing = { ...this.pairing, merchant };
    writePairing(this.pairing);
    this.#changed();
  }

  #signOut() {
    if (!this.pairing || this.isSignedOut) return;
    this.isSignedOut = true;
    this.#changed();
  }

  /** @param {boolean} isOnline */
  #setOnline(isOnline) {
    if (this.isOnline === isOnline) return;
    this.isOnline = isOnline;
    if (isOnline) this.#questions.forEach((question) => question.askNow());
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

/** @param {unknown} error */
function isAborted(error) {
  // The name is not a property of the error's own.
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * @template T
 * @param {Promise<{data?: T, error?: unknown, response: Response}>} call
 * @returns {Promise<{data: T, failure?: undefined} | {data?: undefined, failure: Failure}>}
 */
export async function attempt(call) {
  try {
    const { data, error, response } = await call;
    if (data !== undefined) return { data };
    return { failure: { status: response.status, details: readError(error)?.details, retryAfter: retryAfterSeconds(response) } };
  } catch {
    return { failure: { status: 0, details: null, retryAfter: null } };
  }
}
