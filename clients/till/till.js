// What the till knows and does, without a screen: pairing, cards, offers, and money calls with their journal.

import { config } from "/config.js";
import { setOwnCurrency } from "/kit/money.js";
import { once } from "/kit/once.js";
import { readPairing, readRevoked, readSetAside, writePairing, writeRevoked, writeSetAside } from "./shell/storage.js";
import { speak } from "./shell/text.js";

/** @typedef {import("./shell/storage.js").Pairing} Pairing */
/** @typedef {import("./cards/card.js").Card} Card */
/** @typedef {import("/portal-api/journal.js").Entry} Entry */
/** @typedef {import("/portal-api/money-call.js").Outcome} Outcome */
/** @typedef {import("/portal-api/money-call.js").Attempt<"issue" | "redeem">} Attempt */
/** @typedef {import("/portal-api/index.js").Schemas["CatalogItem"]} Offer */
/** @typedef {import("./sell/delivery.js").Delivery} Delivery */

/** @typedef {import("/portal-api/index.js").PortalClient} PortalClient */
/** @typedef {import("./shell/attempt.js").Failure} Failure */
/** @typedef {typeof import("./later.js")} Later */

const DAY = 24 * 3600 * 1000;
/** Milliseconds after which the session is not waited for any more. */
const SESSION_LIMIT = 8000;
const RECONNECT_INTERVAL = 10_000; // milliseconds
/** Without news for this long, a call is of no tab that is still open: then this one asks what became of it. */
const STRAY_AFTER = 150_000;
/** What was checked by hand is kept this long. */
const CHECKED_FOR = 90 * DAY;

/** Where the browser has no storage: then no money call leaves. @type {import("/portal-api/journal.js").Journal} */
const NO_JOURNAL = {
  begin: () => Promise.reject(new Error("There is no storage.")),
  change: async () => undefined,
  get: async () => undefined,
  all: async () => [],
  remove: async () => {},
};

/** Emits `change` whenever something to be shown has changed. */
export class Till extends EventTarget {
  /** @type {Pairing | null} */
  #pairing = null;
  /** The token was refused: pair again, and go on where it stopped. */
  isSignedOut = false;
  /** The browser keeps no journal for this page, so nothing can be sold or redeemed. */
  hasNoJournal = false;
  /** Tokens of earlier pairings that still work: the API could not be reached to end them. */
  revoked = readRevoked();
  /** That was tried, and failed. */
  cannotRevoke = false;
  isOnline = navigator.onLine;
  /** @type {Later | null} */
  later = null;
  /** @type {Entry[]} newest first */
  entries = [];
  /** The call that is on its way, or about to be. @type {{call: "issue" | "redeem", amount: number, currency: string} | null} */
  moving = null;
  /** When the outcome of a key is asked for again; null: it cannot be known any more. @type {Map<string, number | null>} */
  waits = new Map();
  /** Late answers that nobody has read yet. @type {Entry[]} */
  late = [];
  /** Names of offers by their ids. @type {Map<string | null, string>} */
  offerNames = new Map();
  /** Cards as they are after a refusal, by the key of the call; null: not to be found. @type {Map<string, Card | null>} */
  cardsNow = new Map();
  /** A redemption that is being given back. @type {import("./give-back/give-back-view.js").Redemption | null} */
  givingBack = null;

  /** The last code, and the number of the attempts to pair by it. */
  #pairingAttempt = { code: "", number: "" };
  /** With the till's token, and for routes that need no session. @type {{client: PortalClient, public: PortalClient} | null} */
  #portal = null;
  #setAside = readSetAside();
  /** Calls that belong on this tab's screen as long as they are open: its own, and those that it found when it was opened.
   * @type {Set<string>} */
  #own = new Set();
  /** Presses of the money button whose screen is open: only these can send. @type {Map<string, Attempt>} */
  #attempts = new Map();
  /** How often the page was left. What was pressed before is not sent afterwards. */
  #leavings = 0;
  /** @type {Map<string, import("/portal-api/money-call.js").Question>} */
  #questions = new Map();
  /** The other tabs of this till. */
  #tabs = new BroadcastChannel("till");
  /** @type {import("/portal-api/journal.js").Journal | null} */
  #journal = null;
  /** @type {ReturnType<Later["createMoneyCalls"]> | null} */
  #calls = null;
  /** @type {Promise<void> | null} */
  #prepared = null;

  constructor() {
    super();
    this.pairing = readPairing();
  }

  /** What the first screen does not need. */
  async load() {
    if (this.later) return this.later;
    const [later] = await Promise.all([import("./later.js"), speak()]);
    if (!this.later) {
      this.later = later;
      this.#connect();
    }
    return later;
  }

  async start() {
    addEventListener("online", () => this.#setOnline(true));
    addEventListener("offline", () => this.#setOnline(false));
    // A page that comes back may be another day's: it asks, and sends nothing.
    addEventListener("pagehide", () => {
      this.#leavings += 1;
      this.#turnAway();
    });
    addEventListener("storage", ({ key }) => key === "pairing" && this.#pairedElsewhere());
    this.#tabs.onmessage = () => void this.#read();
    await this.#prepare();
    for (const { key } of this.open) this.#own.add(key);
    this.#watchAll();
    this.#changed();
    if (this.pairing) await this.#renew();
    if (this.isOnline) void this.later?.keepForOffline();
    void this.#endRevoked();
    setInterval(() => {
      // The device has a network, but the API did not answer: look whether it does again.
      if (!this.isOnline && navigator.onLine) void this.#renew();
      if (navigator.onLine) void this.#endRevoked();
      this.#watchStrays();
    }, RECONNECT_INTERVAL);
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
      this.hasNoJournal = this.#journal === NO_JOURNAL;
      this.#changed();
      this.#connect();
      await this.#forgetOldEntries();
      await this.#read();
    })();
    return this.#prepared;
  }

  /** Resolves once a money call can begin, as far as this device is concerned. */
  async #ready() {
    // The browser may have been allowed to keep a journal since.
    if (this.hasNoJournal) this.#prepared = null;
    await this.#prepare();
    if (!this.pairing?.merchant.id) await this.#renew();
  }

  /** Money calls whose outcome is not known. */
  get open() {
    return this.entries.filter(({ outcome }) => outcome === null);
  }

  /** The one of them that belongs on the screen. */
  get unanswered() {
    return (
      this.open.find((entry) => this.#own.has(entry.key) && !this.#setAside.has(entry.key) && this.isOurs(entry)) ??
      null
    );
  }

  /**
   * Whether the entry was begun for the merchant that the till is paired with.
   *
   * @param {Entry} entry
   */
  isOurs(entry) {
    return this.#calls?.isOurs(entry) ?? false;
  }

  /** Whether unpairing leaves no call of this merchant without an answer. */
  get mayUnpair() {
    return !this.open.some((entry) => this.isOurs(entry));
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
    if (this.#pairingAttempt.code !== code)
      this.#pairingAttempt = { code, number: crypto.randomUUID().replaceAll("-", "") };
    const header = { "Pairing-Attempt": this.#pairingAttempt.number };
    const { attempt } = await this.load();
    const answer = await attempt(
      this.portal.public.POST("/api/auth/tills/pairing", { params: { header }, body: { code }, credentials: "omit" }),
    );
    if (!answer.data) return answer.failure;
    const { token, till, merchant } = answer.data.data;
    if (merchant.slug !== this.pairing?.merchant.slug) this.#forgetMerchant();
    this.pairing = {
      token,
      till: { id: till.id, name: till.name, storeName: till.retailStoreName ?? null },
      merchant: {
        id: merchant.id,
        slug: merchant.slug,
        name: merchant.name,
        currency: merchant.currency ?? "EUR",
        primaryColor: null,
        secondaryColor: null,
      },
    };
    this.isSignedOut = false;
    writePairing(this.pairing);
    this.#connect();
    this.#watchAll();
    this.#changed();
    await this.#loadColors();
    return null;
  }

  /** Ends the session, and forgets what the till knows, but for calls of another merchant that nobody has checked. */
  unpair = once(async () => {
    const { token } = this.pairing ?? {};
    this.#turnAway();
    for (const question of this.#questions.values()) question.stop();
    for (const { key, outcome } of this.entries) if (outcome) await this.#journal?.remove(key);
    this.#questions.clear();
    this.#forgetMerchant();
    this.pairing = null;
    writePairing(null);
    if (token) this.#setRevoked([...this.revoked, token]);
    await this.#endRevoked();
    await this.#reload();
  });

  /** What was loaded for one merchant is not shown to another. */
  #forgetMerchant() {
    this.late = [];
    this.givingBack = null;
    this.offerNames.clear();
    this.cardsNow.clear();
  }

  /** Ends the tokens of earlier pairings. Until the API can be reached, they still work. */
  async #endRevoked() {
    const { attempt, createPortalClient } = await this.load();
    for (const token of this.revoked) {
      const { failure } = await attempt(createPortalClient({ baseUrl: config.api, token }).DELETE("/api/auth/session"));
      if (!failure || failure.status === 401) this.#setRevoked(this.revoked.filter((other) => other !== token));
    }
    this.cannotRevoke = this.revoked.length > 0;
    this.#changed();
  }

  /** @param {string[]} tokens */
  #setRevoked(tokens) {
    this.revoked = tokens;
    writeRevoked(tokens);
    this.#changed();
  }

  get pairing() {
    return this.#pairing;
  }

  set pairing(pairing) {
    this.#pairing = pairing;
    setOwnCurrency(pairing?.merchant.currency);
  }

  /** Another tab has paired or unpaired the till. */
  #pairedElsewhere() {
    const pairing = readPairing();
    if (pairing?.token === this.pairing?.token) return;
    this.#turnAway();
    if (pairing?.merchant.slug !== this.pairing?.merchant.slug) this.#forgetMerchant();
    this.pairing = pairing;
    this.isSignedOut = false;
    this.#connect();
    this.#watchAll();
    this.#changed();
  }

  /** For look-ups. */
  get portal() {
    if (!this.#portal) throw new Error("The till has not started.");
    return this.#portal;
  }

  /**
   * @param {Card} card
   * @param {number} total of the purchase, minor units
   * @param {number} amount to take off the card, minor units
   * @returns {Promise<Outcome | undefined>} undefined: another call is at work
   */
  async redeem(card, total, amount) {
    const { currency } = card;
    return this.#track({ call: "redeem", amount, currency }, ({ fromMinor }) =>
      this.#money.redeem(
        {
          qrCode: card.code,
          redeemAmount: Number(fromMinor(amount, currency)),
          purchaseAmount: Number(fromMinor(total, currency)),
          currency,
        },
        { ...this.#whose, ref: card.ref, amount, total, currency, balance: card.balance },
      ),
    );
  }

  /**
   * Issues a card: sold, or given as store credit.
   *
   * @param {Offer} offer
   * @param {number} amount minor units
   * @param {Delivery} delivery how the customer gets it
   * @param {{redemptionId: string, reason: string} | null} [refund] what it gives back
   * @returns {Promise<Outcome | undefined>} undefined: another call is at work
   */
  async sell(offer, amount, delivery, refund = null) {
    const { currency } = offer;
    const given = refund && { refundOf: refund.redemptionId, refundReason: refund.reason };
    return this.#track({ call: "issue", amount, currency }, ({ fromMinor, deliveryNote }) =>
      this.#money.issue(
        {
          value: fromMinor(amount, currency),
          currency,
          giftCardOfferId: offer.id,
          deliveryDetails: delivery,
          ...given,
        },
        {
          ...this.#whose,
          offer: offer.name,
          amount,
          currency,
          isCredit: offer.type === "REFUND_DIGITAL",
          ...given,
          ...deliveryNote(delivery),
        },
      ),
    );
  }

  /**
   * An open call that may have taken money off this card.
   *
   * @param {string} code
   */
  openCallOf(code) {
    return (
      this.open.find(
        (entry) =>
          entry.call === "redeem" && entry.body !== null && "qrCode" in entry.body && entry.body.qrCode === code,
      ) ?? null
    );
  }

  /** Looks the call up, or closes it. @param {string} key */
  askNow(key) {
    this.#questions.get(key)?.askNow();
  }

  /**
   * Turns away from a call: from now on it is closed, or was carried out before.
   *
   * @param {string} key
   */
  setAside(key) {
    this.#setAside.add(key);
    writeSetAside(this.#setAside);
    this.#attempts.get(key)?.turnAway();
    this.#attempts.delete(key);
    this.#questions.get(key)?.skipWait();
    this.#changed();
  }

  /**
   * Ends a call that a person has checked.
   *
   * @param {string} key
   * @param {string} sentence what was found
   */
  resolveByHand = once(async (/** @type {string} */ key, /** @type {string} */ sentence) => {
    this.#questions.get(key)?.stop();
    this.#questions.delete(key);
    await this.#money.resolveByHand(key, sentence);
    this.#forgetSetAside(key);
    await this.#reload();
  });

  /** @param {string} key */
  dismiss(key) {
    this.late = this.late.filter((entry) => entry.key !== key);
    this.#changed();
  }

  /** Who an entry is shown as another one's by. */
  get #whose() {
    return { merchantName: this.pairing?.merchant.name ?? "", tillName: this.pairing?.till.name ?? "" };
  }

  get #money() {
    if (!this.#calls) throw new Error("The till has not started.");
    return this.#calls;
  }

  /** One money call at a time: a press while another one is at work is none. */
  #track = once(
    async (/** @type {NonNullable<Till["moving"]>} */ moving, /** @type {(later: Later) => Attempt} */ press) => {
      const [token, leavings] = [this.pairing?.token, this.#leavings];
      this.moving = moving;
      this.#changed();
      try {
        await this.#ready();
        const isStill = token === this.pairing?.token && leavings === this.#leavings;
        if (!this.pairing?.merchant.id || !isStill)
          return /** @type {Outcome} */ ({ kind: "notSent", call: moving.call, key: "", reason: "offline" });
        const pressed = press(await this.load());
        this.#own.add(pressed.key);
        this.#attempts.set(pressed.key, pressed);
        const outcome = await pressed.outcome;
        await this.#reload();
        if (outcome.kind === "unknown") void this.#watch(outcome.key);
        else this.#attempts.delete(pressed.key);
        return outcome;
      } finally {
        this.moving = null;
        this.#changed();
      }
    },
  );

  /** Asks for all that is open. */
  #watchAll() {
    for (const { key } of this.open) void this.#watch(key);
  }

  /** Asks for what a tab has left open that is gone. */
  #watchStrays() {
    const limit = Date.now() - STRAY_AFTER;
    for (const { key, steps, startedAt } of this.open) {
      if (!this.#questions.has(key) && !this.waits.has(key) && (steps.at(-1)?.at ?? startedAt) < limit)
        void this.#watch(key);
    }
  }

  /** Asks until the outcome is known. Only while the screen of its press is open may that send the call again. @param {string} key */
  async #watch(key) {
    if (!this.#calls) return;
    this.#questions.get(key)?.stop();
    const onWait = (/** @type {{until: number}} */ { until }) => {
      this.waits.set(key, until);
      void this.#reload();
    };
    const question = this.#attempts.get(key)?.resolveUnknown({ onWait }) ?? this.#calls.resolveUnknown(key, { onWait });
    this.#questions.set(key, question);
    const outcome = await question.outcome;
    if (this.#questions.get(key) !== question) return;
    this.#questions.delete(key);
    this.#attempts.delete(key);
    this.waits.delete(key);
    if (outcome?.kind === "unknown") this.waits.set(key, null);
    await this.#reload();
    const entry = this.entry(key);
    if (!entry?.outcome) return;
    if (this.#forgetSetAside(key)) this.late = [...this.late, entry];
    this.#changed();
  }

  /** From now on nothing that was begun is sent again. */
  #turnAway() {
    for (const { turnAway } of this.#attempts.values()) turnAway();
    this.#attempts.clear();
  }

  /** @param {string} key */
  #forgetSetAside(key) {
    const wasSetAside = this.#setAside.delete(key);
    if (wasSetAside) writeSetAside(this.#setAside);
    return wasSetAside;
  }

  /** Shows what the journal has now, here and in the other tabs. */
  async #reload() {
    await this.#read();
    this.#tabs.postMessage("changed");
  }

  async #read() {
    // A journal that cannot be read now: what was known stays.
    this.entries = (await this.#calls?.entries().catch(() => null)) ?? this.entries;
    for (const key of readSetAside()) this.#setAside.add(key);
    this.#changed();
  }

  async #forgetOldEntries() {
    for (const { key, outcome, startedAt } of (await this.#journal?.all()) ?? []) {
      const isOver = outcome && Date.now() - startedAt > (outcome.kind === "byHand" ? CHECKED_FOR : DAY);
      if (isOver) await this.#journal?.remove(key);
    }
  }

  /** A client and money calls with the present token. */
  #connect() {
    if (!this.later) return;
    const { createPortalClient, isAborted } = this.later;
    const token = this.pairing?.token ?? "none";
    const client = createPortalClient({ baseUrl: config.api, token });
    client.use({
      onResponse: ({ response }) => {
        this.#setOnline(true);
        // A late answer to an earlier token says nothing about this one.
        if (response.status === 401 && token === this.pairing?.token) this.#signOut();
      },
      // What was cancelled, or took too long, says nothing about the connection.
      onError: ({ error }) => void (isAborted(error) || this.#setOnline(false)),
    });
    this.#portal = { client, public: this.#portal?.public ?? createPortalClient({ baseUrl: config.api }) };
    this.#turnAway();
    if (!this.#journal) return;
    const { merchant, till } = this.pairing ?? {};
    // Without a merchant, the journal is shown, and nothing in it is asked for.
    this.#calls = this.later.createMoneyCalls({
      client,
      journal: this.#journal,
      merchant: merchant?.id ?? "",
      till: till?.id ?? null,
    });
  }

  async #renew() {
    if (!this.pairing || this.isSignedOut) return;
    const { attempt } = await this.load();
    const { data } = await attempt(
      this.portal.client.GET("/api/auth/session", { signal: AbortSignal.timeout(SESSION_LIMIT) }),
    );
    this.#learnMerchant(data?.data.merchant?.id);
    if (this.pairing && !this.pairing.merchant.primaryColor) await this.#loadColors();
  }

  /** A pairing of an earlier version does not say whose it is. @param {string | undefined} id */
  #learnMerchant(id) {
    if (!id || !this.pairing || this.pairing.merchant.id) return;
    this.pairing = { ...this.pairing, merchant: { ...this.pairing.merchant, id } };
    writePairing(this.pairing);
    this.#connect();
  }

  async #loadColors() {
    if (!this.pairing) return;
    const { slug } = this.pairing.merchant;
    const { attempt } = await this.load();
    const answer = await attempt(
      this.portal.public.GET("/api/merchants/{slug}", { params: { path: { slug } }, credentials: "omit" }),
    );
    if (!answer.data || !this.pairing) return;
    const { primaryColor, secondaryColor } = answer.data.data;
    const merchant = {
      ...this.pairing.merchant,
      primaryColor: primaryColor ?? null,
      secondaryColor: secondaryColor ?? null,
    };
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
    if (isOnline) this.#questions.forEach((question) => question.skipWait());
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
