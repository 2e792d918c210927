// Redeem: find a card, enter the purchase total, take what the card has.

import { once } from "/kit/once.js";
import { html } from "/kit/vendor/lit.js";
import { around, t } from "../shell/text.js";
import { View, icon } from "../shell/view.js";

/** @typedef {import("../cards/card.js").Card} Card */

class RedeemView extends View {
  static properties = {
    till: { attribute: false },
    code: { state: true },
    card: { state: true },
    error: { state: true },
    retryAt: { state: true },
    search: { state: true },
    camera: { state: true },
    rest: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
    this.code = "";
    /** @type {Card | null} */
    this.card = null;
    /** The purchase total. @type {import("../shell/amount-entry.js").AmountEntry | null} */
    this.entry = null;
    this.error = "";
    /** @type {number | null} */
    this.retryAt = null;
    /** The look-up that is on its way. @type {AbortController | null} */
    this.search = null;
    /** @type {import("../scanner/camera.js").CodeCamera | null} */
    this.camera = null;
    /** What was entered for the card that was left last: it may have been left by mistake. @type {{code: string, entry: import("../shell/amount-entry.js").AmountEntry} | null} */
    this.left = null;
    /** What another card has paid of the same purchase leaves this to pay. @type {{amount: number, currency: string} | null} */
    this.rest = null;
    /** The card has an open call: its balance is not known. */
    this.isHeld = false;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#closeCamera();
    this.#stopSearch();
  }

  updated() {
    const wasHeld = this.isHeld;
    this.isHeld = this.card !== null && Boolean(this.till?.openCallOf(this.card.code));
    if (wasHeld && !this.isHeld && this.card) void this.find(this.card.code);
  }

  /** Whether the view is at its first step, where the tabs belong. */
  get isAtStart() {
    return this.card === null && this.camera === null;
  }

  /** Whether something would be lost if another card took its place. */
  get isEngaged() {
    return this.card !== null && !this.#obstacle;
  }

  /** Starts over for the next customer. */
  reset() {
    this.left = null;
    this.rest = null;
    this.#closeCamera();
    this.#stopSearch();
    this.code = "";
    this.card = null;
    this.entry = null;
    this.error = "";
    this.retryAt = null;
    this.#stepped();
  }

  /** What was entered waits for the same card. */
  back() {
    const [rest, left] = [this.rest, this.card && this.entry && { code: this.card.code, entry: this.entry }];
    this.reset();
    [this.rest, this.left] = [rest, left];
    void this.focusHeading();
  }

  /** At the start, the field of the code has the focus, but where that opens a keyboard over the screen. */
  async focusHeading() {
    await this.updateComplete;
    const field = matchMedia("(any-pointer: fine)").matches
      ? this.querySelector(/** @type {"input"} */ ("#card-code"))
      : null;
    if (field) field.focus({ preventScroll: true });
    else await super.focusHeading();
  }

  /** A code begins by hand, wherever the focus is. @param {string} text */
  async begin(text) {
    this.code += text;
    this.error = "";
    await this.updateComplete;
    const field = this.querySelector("input");
    field?.focus();
    field?.setSelectionRange(this.code.length, this.code.length);
  }

  /** The latest code wins. @param {string} code @param {string} [other] what it may be instead */
  async find(code, other) {
    this.#closeCamera();
    this.#stopSearch();
    this.code = code.trim();
    if (!this.code || !this.till) return;
    const search = new AbortController();
    this.search = search;
    this.error = "";
    this.retryAt = null;
    const { cardFailureText, findCard, retryTime } = await this.till.load();
    const { card, failure } = await findCard(this.till, [code, other ?? code], search.signal);
    if (this.search !== search) return;
    this.search = null;
    if (card) return this.show(card);
    this.card = null;
    this.error = failure.status === 401 ? "" : cardFailureText(failure, code);
    this.retryAt = retryTime(failure);
    this.#stepped();
    this.querySelector("input")?.select();
  }

  /** What was entered for the same card stays. @param {Card} card */
  async show(card) {
    if (!this.till) return;
    const { newEntry } = await this.till.load();
    if (card.code !== this.card?.code) {
      const rest = this.rest?.currency === card.currency ? this.rest.amount : undefined;
      this.entry = this.left?.code === card.code ? this.left.entry : newEntry(card.currency, rest);
      this.entry.appear(performance.now());
    }
    this.code = card.code;
    this.card = card;
    this.#stepped();
    await this.focusHeading();
  }

  /**
   * @param {string} key
   * @param {{at: number, isFast: boolean}} stroke
   */
  press(key, stroke) {
    if (!this.entry || this.#obstacle) return;
    if (key === "*") this.#useWholeCard();
    else if (key !== "Enter") this.entry.press(key, stroke);
    else if (this.entry.mayPay(stroke)) void this.#redeem();
    this.requestUpdate();
  }

  /** @param {number} count keys that were a scanner's */
  undo(count) {
    this.entry?.undo(count);
    this.requestUpdate();
  }

  render() {
    if (this.camera) return this.camera.step(() => this.reset());
    return this.card && this.till?.later ? this.#amount(this.card, this.till.later) : this.#start();
  }

  #start() {
    return html` <form class="screen" novalidate @submit=${this.#submit}>
      <div class="stack grow">
        <h1 tabindex="-1">${t("redeem-title")}</h1>
        ${
          this.rest && this.till?.later
            ? html`<p class="lead">
                ${around("redeem-rest", { amount: html`<b><bdi>${this.till.later.money(this.rest.amount, this.rest.currency)}</bdi></b>` })}
              </p>`
            : ""
        }
        <button type="button" class="button large viewfinder" @click=${this.#openCamera}>
          ${icon("camera")}${t("redeem-camera")}
        </button>
        <div class="field">
          <label for="card-code">${t("redeem-code")}</label>
          <div class="with-button">
            <input
              id="card-code"
              data-code
              class="input code mono"
              autocomplete="off"
              autocapitalize="characters"
              spellcheck="false"
              enterkeyhint="search"
              aria-invalid=${this.error !== ""}
              aria-describedby="card-hint"
              .value=${this.code}
              @input=${this.#input}
            />
            ${this.search ? html`<button type="button" class="button" @click=${this.#stopSearch}>${t("cancel")}</button>` : ""}
          </div>
          ${
            this.error
              ? html`<span id="card-hint" class="error" role="alert"
                  >${this.error} ${this.till?.later?.countdown(this.retryAt)}</span
                >`
              : html`<span id="card-hint" class="hint">${t("redeem-code-hint")}</span>`
          }
        </div>
      </div>
      <div class="actions">
        <button class="button large primary" aria-busy=${this.search ? "true" : "false"}>
          ${t(this.search ? "redeem-finding" : "redeem-find")}
        </button>
      </div>
    </form>`;
  }

  /**
   * @param {Card} card
   * @param {import("../till.js").Later} later
   */
  #amount(card, later) {
    const { till, total } = this;
    return later.redeemStep({
      till,
      card,
      total,
      fromCard: this.#fromCard,
      note: this.entry?.note ?? null,
      obstacle: this.#obstacle,
      onKey: (key, stroke) => this.press(key, stroke),
      onWhole: this.#useWholeCard,
      onRedeem: this.#redeem,
      onNext: () => this.reset(),
    });
  }

  /** In minor units. */
  get total() {
    return this.entry?.amount ?? 0;
  }

  /** Why nothing can be taken off the card now. */
  get #obstacle() {
    if (!this.card) return null;
    return this.card.problem ?? (this.till?.openCallOf(this.card.code) ? "unknown" : null);
  }

  /** In minor units. Without a known balance, the card network decides. */
  get #fromCard() {
    return Math.min(this.total, this.card?.balance ?? this.total);
  }

  #redeem = async () => {
    if (!this.till || !this.card || this.total === 0) return;
    const { code } = this.card;
    const outcome = await this.till.redeem(this.card, this.total, this.#fromCard);
    if (!outcome) return;
    this.dispatchEvent(new CustomEvent("outcome", { detail: outcome, bubbles: true }));
    if (outcome.kind !== "refused") return;
    // The balance may be another by now.
    const { lookAgain } = await this.till.load();
    const card = await lookAgain(this.till, outcome.key, code);
    if (card && this.card?.code === code) this.card = card;
  };

  #useWholeCard = () => {
    if (this.card?.balance) this.entry?.choose(this.card.balance, performance.now());
    this.requestUpdate();
  };

  #stopSearch() {
    this.search?.abort();
    this.search = null;
  }

  /** @param {InputEvent & {target: HTMLInputElement}} event */
  #input({ target }) {
    this.code = target.value;
    this.error = "";
    this.retryAt = null;
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    // A scanner's keys can have come into the field: what was typed there is also read by the places of the keys.
    const placed = this.querySelector("input")?.dataset.placed ?? "";
    const isWhole = placed.length === this.code.length && !placed.includes("\ufffd");
    if (this.code.trim()) return void this.find(this.code, isWhole ? placed : undefined);
    this.error = t("redeem-code-missing");
    this.querySelector("input")?.focus();
  }

  #openCamera = once(async () => {
    await this.till?.load();
    const { CodeCamera } = await import("../scanner/camera.js");
    this.camera = new CodeCamera({
      onCode: (code) => void this.find(code),
      onChange: () => this.requestUpdate(),
    });
    this.#stepped();
    void this.camera.start();
  });

  #closeCamera() {
    this.camera?.stop();
    this.camera = null;
  }

  #stepped() {
    this.dispatchEvent(new Event("step", { bubbles: true }));
  }
}

customElements.define("till-redeem", RedeemView);
export { RedeemView };
