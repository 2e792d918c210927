// What became of a money call: done, refused, not sent or not known. Each looks different, and none says more than is known.

import { html, nothing } from "/kit/vendor/lit.js";
import { redemptionOf, startGivingBack } from "../give-back/redemption.js";
import { money } from "../shell/formats.js";
import { around, t } from "../shell/text.js";
import { View, icon } from "../shell/view.js";
import { amountOf, restOf } from "./entry-money.js";
import { knownOutcome } from "./known-outcome.js";
import { isFinal, unknownOutcome } from "./unknown-outcome.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */

/** For this long after a result has appeared, nothing leaves it: the tap or the key was meant for what stood there before. */
const HOLD = 800; // milliseconds

/** Ids of messages. */
const TITLES = {
  done: "",
  refused: "outcome-refused",
  closed: "outcome-closed",
  notSent: "outcome-not-sent",
  byHand: "outcome-by-hand",
  unknown: "outcome-unknown",
};
const TONES = { done: "ok", refused: "bad", closed: "bad", notSent: "bad", byHand: "", unknown: "warn" };
/** @type {Record<keyof typeof TITLES, Parameters<typeof icon>[0]>} */
const ICONS = {
  done: "done",
  refused: "refused",
  closed: "notSent",
  notSent: "notSent",
  byHand: "circle",
  unknown: "unknown",
};

class OutcomeView extends View {
  static properties = {
    till: { attribute: false },
    entry: { attribute: false },
    isLater: { type: Boolean },
    handError: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
    /** @type {Entry | null} */
    this.entry = null;
    /** Opened from the list, not just now. */
    this.isLater = false;
    this.timer = 0;
    this.shown = "";
    this.shownAt = 0;
    /** By the clock that nobody sets. */
    this.heldUntil = 0;
    this.handError = "";
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => this.entry?.outcome === null && this.requestUpdate(), 1000);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  /** Whether a tap or a key may still be one that was meant for the screen before. */
  get isHeld() {
    return performance.now() < this.heldUntil;
  }

  /** Enter is the primary action. @param {string} key */
  press(key) {
    if (key === "Enter") this.querySelector(/** @type {"button"} */ (".actions .primary"))?.click();
  }

  willUpdate() {
    const shown = `${this.entry?.key} ${this.#kind}`;
    if (shown === this.shown) return;
    this.shown = shown;
    this.shownAt = Date.now();
    this.handError = "";
    this.heldUntil = performance.now() + HOLD;
    setTimeout(() => this.requestUpdate(), HOLD);
    void this.focusHeading();
  }

  get #kind() {
    return this.entry?.outcome?.kind ?? "unknown";
  }

  render() {
    const { entry } = this;
    if (!entry) return nothing;
    const kind = this.#kind;
    return html` <div class="screen outcome">
      <div class="stack grow">
        <div class="seal ${TONES[kind]}">${icon(ICONS[kind])}</div>
        <h1 tabindex="-1">${TITLES[kind] ? t(TITLES[kind]) : this.#doneTitle(entry)}</h1>
        ${
          entry.outcome
            ? knownOutcome(this.till, entry, this.isLater ? null : this.shownAt)
            : html`${unknownOutcome(this.till, entry)}${this.isLater || isFinal(this.till, entry) ? this.#byHand() : nothing}`
        }
      </div>
      <div class="actions">${this.#actions(entry)}</div>
    </div>`;
  }

  /** @param {Entry} entry */
  #doneTitle(entry) {
    const amount = amountOf(entry, "amount");
    if (entry.call === "redeem") return around("outcome-redeemed", { amount });
    return around(entry.note.isCredit ? "outcome-credit-given" : "outcome-sold", { amount });
  }

  /** For what nothing else ends. */
  #byHand() {
    return html` <details>
      <summary>${t("by-hand")}</summary>
      <form class="by-hand" novalidate @submit=${this.#resolveByHand}>
        <div class="field">
          <label for="found">${t("by-hand-found")}</label>
          <input
            id="found"
            class="input"
            maxlength="500"
            autocomplete="off"
            aria-invalid=${this.handError ? "true" : "false"}
            aria-describedby="found-hint"
            @input=${() => (this.handError = "")}
          />
          ${
            this.handError
              ? html`<span id="found-hint" class="error" role="alert">${this.handError}</span>`
              : html`<span id="found-hint" class="hint">${t("by-hand-hint")}</span>`
          }
        </div>
        <button class="button">${t("by-hand")}</button>
      </form>
    </details>`;
  }

  /** @param {SubmitEvent & {target: HTMLFormElement}} event */
  async #resolveByHand(event) {
    event.preventDefault();
    const field = event.target.querySelector("input");
    const sentence = field?.value.trim() ?? "";
    if (sentence && this.entry) return void (await this.till?.resolveByHand(this.entry.key, sentence));
    this.handError = t("by-hand-missing");
    field?.focus();
  }

  /** @param {Entry} entry */
  #actions(entry) {
    const action = (/** @type {string} */ tone, /** @type {() => void} */ act, /** @type {unknown} */ text) =>
      html` <button
        type="button"
        class="button large ${tone}"
        aria-disabled=${this.isHeld ? "true" : "false"}
        @click=${() => this.isHeld || act()}
      >
        ${text}
      </button>`;
    const next = (/** @type {string} */ tone, text = t("next-customer")) =>
      action(tone, () => this.#emit("next"), this.isLater ? t("outcome-back-to-today") : text);
    switch (this.#kind) {
      case "unknown":
        return isFinal(this.till, entry)
          ? next("primary")
          : html`${action("primary", () => this.till?.askNow(entry.key), t("unknown-ask-now"))}${next("", t("unknown-next-customer"))}`;
      case "done": {
        const { till } = this;
        const redemption = this.isLater ? redemptionOf(entry) : null;
        const giveBack =
          till &&
          redemption &&
          (() => {
            startGivingBack(till, redemption);
            this.#emit("next");
          });
        const rest = this.isLater ? null : restOf(entry);
        const payRest =
          rest &&
          action(
            "",
            () => this.#emit("rest"),
            html`<span
              >${around("outcome-pay-rest", { amount: html`<bdi>${money(rest.amount, rest.currency)}</bdi>` })}</span
            >`,
          );
        return html`${next("primary")}${payRest ?? nothing}${giveBack ? action("", giveBack, t("give-back")) : nothing}`;
      }
      case "byHand":
        return next("primary");
      default:
        return this.isLater
          ? next("primary")
          : html`${action("primary", () => this.#emit("again"), t("outcome-back-to-amount"))}${next("")}`;
    }
  }

  /** @param {"next" | "again" | "rest"} name */
  #emit(name) {
    this.dispatchEvent(new Event(name, { bubbles: true }));
  }
}

customElements.define("till-outcome", OutcomeView);
export { OutcomeView };
