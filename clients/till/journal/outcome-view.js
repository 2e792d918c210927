// What became of a money call: done, refused, not sent or not known. Each looks different, and none says more than is known.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatMinor, toMinor } from "/kit/money.js";
import { property } from "/portal-api/errors.js";
import { balanceNow } from "./balance-now.js";
import { countdown } from "../shell/countdown.js";
import "../paper/receipt.js";
import { redemptionOf, startGivingBack } from "../give-back/redemption.js";
import { View, cardRef, icon } from "../shell/view.js";
import { issuedWord, refusalText, retryTime } from "../shell/words.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */
/** @typedef {import("/portal-api/journal.js").Step} Step */

/** For this long after a result has appeared, nothing leaves it: the tap or the key was meant for what stood there before. */
const HOLD = 800; // milliseconds

const TITLES = {
  done: "",
  refused: "Refused",
  closed: "Not carried out",
  notSent: "Not sent",
  byHand: "Checked by hand",
  unknown: "Not known yet",
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
        <h1 tabindex="-1">${TITLES[kind] || this.#doneTitle(entry)}</h1>
        ${entry.outcome === null ? this.#unknown(entry) : this.#known(entry)}
      </div>
      <div class="actions">${this.#actions(entry)}</div>
    </div>`;
  }

  /** @param {Entry} entry */
  #doneTitle(entry) {
    return html`${this.#money(entry, "amount")} ${entry.call === "redeem" ? "redeemed" : issuedWord(entry.note)}`;
  }

  /** @param {Entry} entry */
  #known(entry) {
    const { outcome, note } = entry;
    if (outcome?.kind === "done") return entry.call === "redeem" ? this.#redeemed(entry) : this.#issued(entry);
    const what = entry.call === "redeem" ? "Nothing was taken off the card." : "No card was issued.";
    const why = this.#reason(outcome);
    const retryAt = outcome?.kind === "refused" && !this.isLater ? retryTime(outcome, this.shownAt) : null;
    return html` ${
        outcome?.kind === "byHand"
          ? html`<p class="lead">The outcome was found out at the till:</p>
              <p class="wrap" dir="auto">${outcome.sentence}</p>`
          : html`<p class="lead">${what} ${why} ${countdown(retryAt)}</p>`
      }
      <dl class="facts panel">
        <div>
          <dt>Amount</dt>
          <dd>${this.#money(entry, "amount")}</dd>
        </div>
        <div>
          ${
            entry.call === "redeem"
              ? html`<dt>Card</dt>
                  <dd>${cardRef(String(note.ref))}</dd>`
              : html`<dt>Gift card</dt>
                  <dd dir="auto">${note.offer}</dd>`
          }
        </div>
        ${balanceNow(this.till, entry)}
      </dl>`;
  }

  /** @param {Entry["outcome"]} outcome */
  #reason(outcome) {
    switch (outcome?.kind) {
      case "refused":
        return refusalText(outcome);
      case "closed":
        return "It was stopped, and will never be carried out.";
      default:
        return "The till is offline. Connect it, then try again.";
    }
  }

  /** @param {Entry} entry */
  #redeemed(entry) {
    const { note } = entry;
    const owed = restOf(entry)?.amount ?? 0;
    const result =
      entry.outcome?.kind === "done" && entry.outcome.call === "redeem" ? (entry.outcome.result?.data ?? null) : null;
    const remains = property(result, "valueRemains");
    const left =
      typeof remains === "number" || typeof remains === "string" ? toMinor(remains, String(note.currency)) : null;
    return html` ${this.#lateText(entry)}
      ${
        owed > 0
          ? html`<div class="owed">
              <span>Still to pay</span><strong><bdi>${formatMinor(owed, String(note.currency))}</bdi></strong>
            </div>`
          : nothing
      }
      <dl class="facts panel">
        <div>
          <dt>Purchase total</dt>
          <dd>${this.#money(entry, "total")}</dd>
        </div>
        ${
          left === null
            ? nothing
            : html`<div>
                <dt>Left on the card</dt>
                <dd><bdi>${formatMinor(left, String(note.currency))}</bdi></dd>
              </div>`
        }
        <div>
          <dt>Card</dt>
          <dd>${cardRef(String(note.ref))}</dd>
        </div>
      </dl>
      ${this.till?.isOurs(entry) ? html`<till-receipt .till=${this.till} .entry=${entry} .left=${left}></till-receipt>` : nothing}`;
  }

  /** @param {Entry} entry */
  #issued(entry) {
    return html`${this.#lateText(entry)}<till-sold-card .till=${this.till} .entry=${entry}></till-sold-card>`;
  }

  /** @param {Entry} entry */
  #lateText(entry) {
    return entry.steps.length > 1 ? html`<p class="lead">The answer was late, but it went through.</p>` : nothing;
  }

  /** @param {Entry} entry */
  #unknown(entry) {
    const isRedeem = entry.call === "redeem";
    const amount = this.#money(entry, "amount");
    const isOurs = this.till?.isOurs(entry);
    const isFinal = !isOurs || this.till?.waits.get(entry.key) === null;
    const why = isFinal ? "" : this.till?.isOnline ? "There is no response yet." : "The till has no connection.";
    const then = !isFinal
      ? "Ask the customer to wait. This page finds out and tells you."
      : isOurs
        ? "The portal cannot tell the outcome. Compare the card's balance and the orders in the dashboard."
        : html`It was started for <bdi>${entry.note.merchantName ?? "a merchant that is not known"}</bdi>, and cannot be
            looked up from here.`;
    return html` <p class="lead">
        ${
          isRedeem
            ? html`${amount} may or may not have been taken off card ${cardRef(String(entry.note.ref))}. ${why}`
            : html`A gift card of ${amount} may or may not have been issued. ${why}`
        }
      </p>
      <div class="notice warn">
        ${icon("warning")}
        <p><b>Do not ${isRedeem ? "redeem" : "sell"} it again.</b> ${then}</p>
      </div>
      <ol class="steps">
        ${this.#steps(entry, isFinal)}
      </ol>
      ${
        isFinal
          ? nothing
          : html`<details>
              <summary>If the customer cannot wait</summary>
              <p>
                ${
                  isRedeem
                    ? html`Serve the next customer, and take the ${this.#money(entry, "total")} another way: anything
                      that was not taken off the card by then never will be. If it was, this till shows it under Today.`
                    : "Serve the next customer: anything that was not issued by then never will be. If it was, the code is under Today and can be sent."
                }
              </p>
            </details>`
      }
      ${this.isLater || isFinal ? this.#byHand() : nothing}`;
  }

  /** For what nothing else ends. */
  #byHand() {
    return html` <details>
      <summary>I have checked it</summary>
      <form class="by-hand" novalidate @submit=${this.#resolveByHand}>
        <div class="field">
          <label for="found">What did you find?</label>
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
              : html`<span id="found-hint" class="hint">Such as: the balance is 150.50, so it was taken.</span>`
          }
        </div>
        <button class="button">I have checked it</button>
      </form>
    </details>`;
  }

  /** @param {SubmitEvent & {target: HTMLFormElement}} event */
  async #resolveByHand(event) {
    event.preventDefault();
    const field = event.target.querySelector("input");
    const sentence = field?.value.trim() ?? "";
    if (sentence && this.entry) return void (await this.till?.resolveByHand(this.entry.key, sentence));
    this.handError = "Describe in a sentence what you found.";
    field?.focus();
  }

  /**
   * @param {Entry} entry
   * @param {boolean} isFinal
   */
  #steps({ key, steps }, isFinal) {
    const sent = steps[0];
    const silence = steps.find(({ what }) => what === "noAnswer");
    const asked = steps.filter(({ what }) => what !== "sent" && what !== "noAnswer").length;
    const until = this.till?.waits.get(key) ?? 0;
    const seconds = Math.ceil((until - Date.now()) / 1000);
    const times = ["", "once", "twice"][asked] ?? `${asked} times`;
    return html` ${sent ? html`<li>${icon("done")}<span>Sent</span>${clock(sent.at)}</li>` : nothing}
      ${silence ? html`<li>${icon("circle")}<span>No answer</span>${clock(silence.at)}</li>` : nothing}
      <li class="now">
        ${icon("unknown")}<span>${asked ? `Asked ${times}, no answer yet` : "Not asked yet"}</span>
        <span class="when"
          >${isFinal ? "" : seconds > 0 ? `${asked ? "again" : "asks"} in ${seconds} s` : "asking"}</span
        >
      </li>`;
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
    const next = (/** @type {string} */ tone, text = "Next customer") =>
      action(tone, () => this.#emit("next"), this.isLater ? "Back to Today" : text);
    switch (this.#kind) {
      case "unknown":
        return this.till?.isOurs(entry) && this.till.waits.get(entry.key) !== null
          ? html`${action("primary", () => this.till?.askNow(entry.key), "Ask now")}${next("", "Serve the next customer")}`
          : next("primary");
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
            html`<span>Another card for <bdi>${formatMinor(rest.amount, rest.currency)}</bdi></span>`,
          );
        return html`${next("primary")}${payRest ?? nothing}${giveBack ? action("", giveBack, "Give back") : nothing}`;
      }
      case "byHand":
        return next("primary");
      default:
        return this.isLater
          ? next("primary")
          : html`${action("primary", () => this.#emit("again"), "Back to the amount")}${next("")}`;
    }
  }

  /**
   * @param {Entry} entry
   * @param {"amount" | "total"} field
   */
  #money({ note }, field) {
    return html`<bdi>${formatMinor(Number(note[field]), String(note.currency))}</bdi>`;
  }

  /** @param {"next" | "again" | "rest"} name */
  #emit(name) {
    this.dispatchEvent(new Event(name, { bubbles: true }));
  }
}

/**
 * What a redemption leaves to pay; null for nothing, and for any other call.
 *
 * @param {Entry} entry
 */
export function restOf({ call, note, outcome }) {
  const amount = Number(note.total) - Number(note.amount);
  return call === "redeem" && outcome?.kind === "done" && amount > 0
    ? { amount, currency: String(note.currency) }
    : null;
}

/** @param {number} at */
function clock(at) {
  return html`<time class="when"
    >${new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" })}</time
  >`;
}

customElements.define("till-outcome", OutcomeView);
export { OutcomeView };
