// The till's frame: header, tabs, notices, and which screen is shown.

import { createRef, html, keyed, nothing, ref } from "/kit/vendor/lit.js";
import "./redeem/redeem-view.js";
import { readPairing, readShown, writeShown } from "./shell/storage.js";
import { speak, t } from "./shell/text.js";
import { View, icon } from "./shell/view.js";

/** @typedef {import("./redeem/redeem-view.js").RedeemView | import("./sell/sell-view.js").SellView | import("./journal/today-view.js").TodayView
 *   | import("./give-back/give-back-view.js").GiveBackView} TabView */
/** @typedef {"redeem" | "sell" | "today"} Tab */
/** @typedef {import("./till.js").Till} Till */

/** @type {{tab: Tab, path: string, id: string}[]} */
const TABS = [
  { tab: "redeem", path: "/", id: "tab-redeem" },
  { tab: "sell", path: "/sell", id: "tab-sell" },
  { tab: "today", path: "/today", id: "tab-today" },
];
const SLOW = 4000; // milliseconds after which a call counts as slow

class TillApp extends View {
  static properties = {
    till: { state: true },
    tab: { state: true },
    shownKey: { state: true },
    isLater: { state: true },
    isSlow: { state: true },
    problem: { state: true },
    scanned: { state: true },
  };

  constructor() {
    super();
    this.till = atFirst(() => this.#begin().then((till) => till.load()));
    /** @type {Promise<Till> | null} */
    this.begun = null;
    this.tab = tabOf(location.pathname);
    /** The money call whose outcome is on the screen. @type {string | null} */
    this.shownKey = readShown();
    /** It was opened from the list. */
    this.isLater = false;
    this.isSlow = false;
    this.problem = "";
    /** A code that was scanned while something else was on the screen. @type {import("./scanner/key-reader.js").Scan | null} */
    this.scanned = null;
    this.slowTimer = 0;
    /** The merchant whose screens these are. */
    this.slug = this.till.pairing?.merchant.slug ?? "";
    /** Keys before the reader is loaded. @type {KeyboardEvent[]} */
    this.earlyKeys = [];
    this.keepKey = (/** @type {KeyboardEvent} */ event) => void this.earlyKeys.push(event);
    /** @type {import("/kit/vendor/lit.js").Ref<TabView>} */
    this.view = createRef();
    /** @type {TabView | null} */
    this.shownView = null;
    /** @type {import("/kit/vendor/lit.js").Ref<HTMLDialogElement>} */
    this.dialog = createRef();
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener("visibilitychange", () => this.#holdScreen());
    addEventListener("popstate", () => this.#wentBack());
    addEventListener("keydown", this.keepKey);
    // Two frames: after the first paint.
    requestAnimationFrame(() => requestAnimationFrame(() => void this.#begin()));
  }

  /** Starts the till. Resolves once it has taken the place of what the first screen shows of it, in the views as well. */
  #begin() {
    this.begun ??= (async () => {
      const { Till } = await import("./till.js");
      this.till = new Till();
      this.till.addEventListener("change", () => this.#changed());
      await this.updateComplete;
      void this.till.start();
      void this.#listen();
      return this.till;
    })();
    // The next one to need it tries again.
    this.begun.catch(() => (this.begun = null));
    return this.begun;
  }

  /** To the keyboard, and the scanner. */
  async #listen() {
    const { KeyReader } = await this.till.load();
    removeEventListener("keydown", this.keepKey);
    new KeyReader({
      onScan: (scan) => void this.#scanned(scan),
      onKey: (key, stroke) => this.#pressed(key, stroke),
      onUndo: (count) => this.#view && "undo" in this.#view && this.#view.undo(count),
    }).start(this.earlyKeys);
  }

  render() {
    const { till } = this;
    if (!till.pairing || till.isSignedOut) void this.#preparePairing();
    if (!till.pairing) {
      return html`<div class="notices" role="status">${this.#notices()}</div>
        <main><till-pairing .till=${till}></till-pairing></main>`;
    }
    const entry = this.#shown;
    // What a customer still has to pay, or the code of a card, stays until somebody turns away.
    const isSignedOut = till.isSignedOut && !entry?.outcome;
    const isCovered = isSignedOut || till.moving !== null || entry !== null;
    const view = this.#view;
    return html` ${this.#header(!isCovered && view !== null && !view.isAtStart)}
      <div class="notices" role="status">${this.#notices()}</div>
      <main>
        ${
          isSignedOut
            ? html`<till-pairing .till=${till}></till-pairing>`
            : till.moving
              ? till.later?.callOnItsWay(till.moving, this.isSlow)
              : entry
                ? html`<till-outcome
                    .till=${till}
                    .entry=${entry}
                    ?isLater=${this.isLater}
                    @next=${this.#next}
                    @rest=${this.#payRest}
                    @again=${this.#again}
                  ></till-outcome>`
                : nothing
        }
        <div ?hidden=${isCovered} @outcome=${this.#arrived} @step=${this.#stepped} @open-entry=${this.#openEntry}>
          ${keyed(till.pairing.merchant.slug, this.#tabView())}
        </div>
      </main>
      ${isCovered || (view !== null && !view.isAtStart) ? nothing : this.#tabs()} ${this.#about()}`;
  }

  async #preparePairing() {
    await Promise.all([this.#begin(), speak()]);
    await import("./shell/pairing-view.js");
  }

  #tabView() {
    const { till } = this;
    if (till.givingBack) return html`<till-give-back ${ref(this.view)} .till=${till}></till-give-back>`;
    switch (this.tab) {
      case "sell":
        return html`<till-sell ${ref(this.view)} .till=${till}></till-sell>`;
      case "today":
        return html`<till-today ${ref(this.view)} .till=${till}></till-today>`;
      default:
        return html`<till-redeem ${ref(this.view)} .till=${till}></till-redeem>`;
    }
  }

  /** @param {boolean} canGoBack */
  #header(canGoBack) {
    const { till, merchant } = this.till.pairing ?? {};
    return html` <header class="bar">
      ${canGoBack ? html`<button type="button" class="back" aria-label=${t("frame-back")} @click=${() => this.#view?.back()}>${icon("back")}</button>` : nothing}
      <button type="button" class="name" aria-haspopup="dialog" @click=${() => this.dialog.value?.showModal()}>
        <span class="truncate" dir="auto"
          >${till?.storeName ? `${till.storeName}, ${till.name}` : (till?.name ?? merchant?.name)}</span
        >
      </button>
      <span class="net ${this.till.isOnline ? "" : "off"}"
        >${t(this.till.isOnline ? "frame-online" : "frame-offline")}</span
      >
    </header>`;
  }

  #notices() {
    const { till } = this;
    if (!till.pairing) return till.later?.revokedNotice(till);
    const late = till.late.map((entry) => till.later?.notice(entry, () => till.dismiss(entry.key)));
    const offer = till.later?.scanOffer(till, this.scanned, {
      onFound: (event) => this.#found(event),
      onAmount: () => this.#takeBack(),
      onDismiss: () => (this.scanned = null),
    });
    return html`${till.later?.noJournalNotice(till)}${till.later?.revokedNotice(till)}${offer}${late}${
      this.problem
        ? html`<div class="notice bad">
            ${icon("warning")}
            <p>${this.problem}</p>
            <button type="button" class="button quiet" @click=${() => (this.problem = "")}>${t("dismiss")}</button>
          </div>`
        : nothing
    }`;
  }

  #tabs() {
    const waiting = this.till.open.length;
    return html` <nav class="tabs" aria-label=${t("tabs-label")}>
      ${TABS.map(
        ({ tab, path, id }) =>
          html` <a
            href=${path}
            aria-current=${tab === this.tab ? "page" : nothing}
            @click=${(/** @type {MouseEvent} */ event) => this.#go(event, tab, path)}
          >
            ${icon(tab)}<span>${t(id)}</span>
            ${tab === "today" && waiting > 0 ? html`<b class="count">${waiting}<span class="sr"> ${t("tab-open-calls")}</span></b>` : nothing}
          </a>`,
      )}
    </nav>`;
  }

  #about() {
    return html` <dialog ${ref(this.dialog)} aria-labelledby="about-title">
      ${this.till.later?.aboutDialog(this.till, () => this.dialog.value?.close())}
    </dialog>`;
  }

  /** The money call whose outcome covers the tabs. */
  get #shown() {
    return this.shownKey ? this.till.entry(this.shownKey) : null;
  }

  get #outcome() {
    const outcome = this.querySelector(/** @type {"div"} */ ("till-outcome"));
    return outcome && "isHeld" in outcome
      ? /** @type {import("./journal/outcome-view.js").OutcomeView} */ (/** @type {unknown} */ (outcome))
      : null;
  }

  get #view() {
    return this.view.value ?? null;
  }

  #changed() {
    const { till, shownKey } = this;
    // Its answer is on the screen already.
    if (shownKey && till.late.some(({ key }) => key === shownKey)) return till.dismiss(shownKey);
    if (till.moving && !this.slowTimer) {
      this.slowTimer = setTimeout(() => (this.isSlow = true), SLOW);
    } else if (!till.moving) {
      clearTimeout(this.slowTimer);
      this.slowTimer = 0;
      this.isSlow = false;
      // The till was paired with another merchant since.
      const shown = this.#shown;
      if (shown && !this.isLater && !till.isOurs(shown)) this.shownKey = null;
      // What was scanned, and what went wrong, was the other merchant's.
      const slug = till.pairing?.merchant.slug ?? "";
      if (slug !== this.slug) [this.slug, this.scanned, this.problem, this.isLater] = [slug, null, "", false];
      // After a reload: a call that nobody has left belongs on the screen.
      if (!this.shownKey && till.unanswered) this.shownKey = till.unanswered.key;
    }
    this.requestUpdate();
    this.#outcome?.requestUpdate();
    if (this.#view instanceof View) this.#view.requestUpdate();
  }

  /** @param {CustomEvent<import("/portal-api/money-call.js").Outcome>} event */
  #arrived({ detail: outcome }) {
    if (outcome.kind === "notSent" && !this.till.entry(outcome.key)) {
      this.problem = t(this.till.later?.NOT_SENT[outcome.reason] ?? "");
      return;
    }
    this.isLater = false;
    this.shownKey = outcome.key;
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  updated(changed) {
    // At the start, and after the till was paired.
    if (this.shownView === null && this.#view && "begin" in this.#view) void this.#view.focusHeading();
    if (changed.has("shownKey")) writeShown(this.isLater ? null : this.shownKey);
    this.#holdScreen();
    this.#signal();
    // Header and tabs depend on the view, which is known once it is rendered.
    if (this.shownView === this.#view) return;
    this.shownView = this.#view;
    this.requestUpdate();
  }

  /** The screen stays lit while a customer is served. */
  #holdScreen() {
    const view = this.#view;
    this.till.later?.holdScreen(
      Boolean(this.till.pairing) &&
        (this.till.moving !== null || this.#shown !== null || (view !== null && !view.isAtStart)),
    );
  }

  /** Done and refused can be heard and felt. */
  #signal() {
    const entry = this.#shown;
    if (entry && !this.isLater) this.till.later?.signalOutcome(entry);
  }

  /** The customer is served. */
  #next() {
    if (this.#outcome?.isHeld) return;
    if (this.shownKey && this.till.entry(this.shownKey)?.outcome === null) this.till.setAside(this.shownKey);
    this.shownKey = null;
    if (!this.isLater) this.#view?.reset();
    this.isLater = false;
    void this.#focusView();
  }

  /** Another card pays what this one did not. */
  async #payRest() {
    const rest = this.#rest;
    if (this.#outcome?.isHeld) return;
    this.#next();
    const view = await this.#redeemView();
    if (view) view.rest = rest;
  }

  /** What the redemption on the screen leaves to pay. */
  get #rest() {
    const entry = this.#shown;
    return entry && this.till.later ? this.till.later.restOf(entry) : null;
  }

  /** The browser's Back leaves a card, as the page's own does. */
  #stepped() {
    if (this.#view && !this.#view.isAtStart && !history.state?.isStep) history.pushState({ isStep: true }, "");
    this.requestUpdate();
  }

  #wentBack() {
    const tab = tabOf(location.pathname);
    const isCovered = this.till.moving !== null || this.#shown !== null;
    // What is on the screen says that it can be left, and how.
    if (isCovered) return history.pushState({ isStep: true }, "", TABS.find((entry) => entry.tab === this.tab)?.path);
    if (tab === this.tab && this.#view && !this.#view.isAtStart) return this.#view.back();
    void this.#show(tab);
  }

  /** The same card and amount once more. */
  #again() {
    this.shownKey = null;
    if (this.#view && "entry" in this.#view) this.#view.entry?.appear(performance.now());
    void this.#focusView();
  }

  /** @param {CustomEvent<string>} event */
  #openEntry({ detail: key }) {
    this.isLater = true;
    this.shownKey = key;
  }

  /** @param {import("./scanner/key-reader.js").Scan} scan */
  async #scanned(scan) {
    const { till } = this;
    // While money moves, nothing may change.
    if (!till.pairing || till.isSignedOut || till.moving) return;
    this.querySelector(/** @type {"dialog"} */ ("dialog[open]"))?.close();
    if (this.shownKey || this.#view?.isEngaged) {
      this.scanned = scan;
      return;
    }
    const view = await this.#redeemView();
    await view?.find(scan.code, scan.other);
  }

  /** What was taken for a scan is an amount. Enter does not pay it: it came as fast as from a scanner. */
  #takeBack() {
    const keys = this.scanned?.keys ?? [];
    this.scanned = null;
    for (const key of keys) this.#view?.press(key, { at: performance.now(), isFast: true });
  }

  /** The scanned card takes the place of what is on the screen. @param {CustomEvent<import("./cards/card.js").Card>} event */
  async #found({ detail: card }) {
    this.scanned = null;
    const rest = this.#rest;
    if (this.shownKey) this.#next();
    if (this.shownKey) return;
    this.#view?.reset();
    const view = await this.#redeemView();
    if (view) view.rest = rest;
    await view?.show(card);
  }

  async #redeemView() {
    if (this.tab !== "redeem") {
      history.pushState(null, "", "/");
      await this.#show("redeem");
    }
    await this.updateComplete;
    return this.#view && "show" in this.#view ? this.#view : null;
  }

  /**
   * @param {string} key
   * @param {{at: number, isFast: boolean}} stroke
   */
  #pressed(key, stroke) {
    if (!this.till.pairing || this.till.isSignedOut || this.till.moving || this.querySelector("dialog[open]")) return;
    // Either could be meant for the offered code or for the screen: Escape is for the offer, Enter for neither.
    if (this.scanned && key === "Escape") this.scanned = null;
    else if (this.scanned && key === "Enter") return;
    else this.#passOn(key, stroke);
  }

  /**
   * @param {string} key
   * @param {{at: number, isFast: boolean}} stroke
   */
  #passOn(key, stroke) {
    const start = !this.#outcome && this.#view?.isAtStart && !this.till.givingBack;
    if (start && /^[\p{L}\p{N}/]$/u.test(key)) void this.#beginCode(key === "/" ? "" : key);
    else if (this.#outcome) this.#outcome.press(key);
    else if (key === "Escape") this.#view?.back();
    else this.#view?.press(key, stroke);
  }

  /** Typing begins a code, on the first screen of any tab. @param {string} text */
  async #beginCode(text) {
    const view = await this.#redeemView();
    await view?.begin(text);
  }

  /**
   * @param {MouseEvent} event
   * @param {Tab} tab
   * @param {string} path
   */
  #go(event, tab, path) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, "", path);
    void this.#show(tab);
  }

  /** @param {Tab} tab */
  async #show(tab) {
    await this.till.load();
    this.tab = tab;
    await this.#focusView();
  }

  async #focusView() {
    await this.updateComplete;
    await this.#view?.focusHeading();
  }
}

/**
 * What the first screen shows and asks of the till, until the till itself is here: most of it is not needed before the first paint.
 *
 * @param {Till["load"]} load
 * @returns {Till}
 */
function atFirst(load) {
  const { onLine: isOnline } = navigator;
  const nothingYet = { isSignedOut: false, later: null, moving: null, late: [], open: [], givingBack: null };
  return /** @type {any} */ ({ ...nothingYet, pairing: readPairing(), isOnline, entry: () => null, load });
}

/**
 * @param {string} path
 * @returns {Tab}
 */
function tabOf(path) {
  return TABS.find((entry) => entry.path === path)?.tab ?? "redeem";
}

customElements.define("till-app", TillApp);
