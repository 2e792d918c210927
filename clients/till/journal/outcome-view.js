// What became of a money call: done, refused, not sent or not known. Each looks different, and none says more than is known.

import { html, nothing } from "/kit/vendor/lit.js";
import { toMinor } from "/kit/decimals.js";
import { property } from "/portal-api/errors.js";
import { balanceNow } from "./balance-now.js";
import { countdown } from "../shell/countdown.js";
import "../paper/receipt.js";
import { redemptionOf, startGivingBack } from "../give-back/redemption.js";
import { money, time } from "../shell/formats.js";
import { around, t } from "../shell/text.js";
import { View, cardRef, icon } from "../shell/view.js";
import { refusalText, retryTime } from "../shell/words.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */
/** @typedef {import("/portal-api/journal.js").Step} Step */

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
        ${entry.outcome === null ? this.#unknown(entry) : this.#known(entry)}
      </div>
      <div class="actions">${this.#actions(entry)}</div>
    </div>`;
  }

  /** @param {Entry} entry */
  #doneTitle(entry) {
    const amount = this.#money(entry, "amount");
    if (entry.call === "redeem") return around("outcome-redeemed", { amount });
    return around(entry.note.isCredit ? "outcome-credit-given" : "outcome-sold", { amount });
  }

  /** @param {Entry} entry */
  #known(entry) {
    const { outcome, note } = entry;
    if (outcome?.kind === "done") return entry.call === "redeem" ? this.#redeemed(entry) : this.#issued(entry);
    const what = t(entry.call === "redeem" ? "outcome-nothing-taken" : "outcome-none-issued");
    const why = this.#reason(outcome);
    const retryAt = outcome?.kind === "refused" && !this.isLater ? retryTime(outcome, this.shownAt) : null;
    return html` ${
        outcome?.kind === "byHand"
          ? html`<p class="lead">${t("outcome-found-by-hand")}</p>
              <p class="wrap" dir="auto">${outcome.sentence}</p>`
          : html`<p class="lead">${what} ${why} ${countdown(retryAt)}</p>`
      }
      <dl class="facts panel">
        <div>
          <dt>${t("outcome-amount")}</dt>
          <dd>${this.#money(entry, "amount")}</dd>
        </div>
        <div>
          ${
            entry.call === "redeem"
              ? html`<dt>${t("outcome-card")}</dt>
                  <dd>${cardRef(String(note.ref))}</dd>`
              : html`<dt>${t("outcome-gift-card")}</dt>
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
        return t("outcome-stopped");
      default:
        return t("outcome-connect");
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
              <span>${t("outcome-still-to-pay")}</span><strong><bdi>${money(owed, String(note.currency))}</bdi></strong>
            </div>`
          : nothing
      }
      <dl class="facts panel">
        <div>
          <dt>${t("redeem-total")}</dt>
          <dd>${this.#money(entry, "total")}</dd>
        </div>
        ${
          left === null
            ? nothing
            : html`<div>
                <dt>${t("outcome-left")}</dt>
                <dd><bdi>${money(left, String(note.currency))}</bdi></dd>
              </div>`
        }
        <div>
          <dt>${t("outcome-card")}</dt>
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
    return entry.steps.length > 1 ? html`<p class="lead">${t("outcome-late")}</p>` : nothing;
  }

  /** @param {Entry} entry */
  #unknown(entry) {
    const isRedeem = entry.call === "redeem";
    const amount = this.#money(entry, "amount");
    const isOurs = this.till?.isOurs(entry);
    const isFinal = !isOurs || this.till?.waits.get(entry.key) === null;
    const why = isFinal ? "" : t(this.till?.isOnline ? "unknown-no-response" : "unknown-no-connection");
    const { merchantName } = entry.note;
    const then = !isFinal
      ? t("unknown-wait")
      : isOurs
        ? t("unknown-final")
        : merchantName
          ? around("unknown-other-merchant", { merchant: html`<bdi>${merchantName}</bdi>` })
          : t("unknown-some-merchant");
    return html` <p class="lead">
        ${
          isRedeem
            ? around("unknown-redeem", { amount, card: cardRef(String(entry.note.ref)) })
            : around("unknown-issue", { amount })
        }
        ${why}
      </p>
      <div class="notice warn">
        ${icon("warning")}
        <p><b>${t(isRedeem ? "unknown-do-not-redeem" : "unknown-do-not-sell")}</b> ${then}</p>
      </div>
      <ol class="steps">
        ${this.#steps(entry, isFinal)}
      </ol>
      ${
        isFinal
          ? nothing
          : html`<details>
              <summary>${t("unknown-cannot-wait")}</summary>
              <p>
                ${
                  isRedeem
                    ? around("unknown-leave-redeem", { total: this.#money(entry, "total") })
                    : t("unknown-leave-issue")
                }
              </p>
            </details>`
      }
      ${this.isLater || isFinal ? this.#byHand() : nothing}`;
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
    return html` ${sent ? html`<li>${icon("done")}<span>${t("unknown-sent")}</span>${clock(sent.at)}</li>` : nothing}
      ${silence ? html`<li>${icon("circle")}<span>${t("unknown-no-answer")}</span>${clock(silence.at)}</li>` : nothing}
      <li class="now">
        ${icon("unknown")}<span>${t("unknown-asked", { count: asked })}</span>
        <span class="when"
          >${
            isFinal
              ? ""
              : seconds > 0
                ? t(asked ? "unknown-asks-again-in" : "unknown-asks-in", { seconds })
                : t("unknown-asking")
          }</span
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
    const next = (/** @type {string} */ tone, text = t("next-customer")) =>
      action(tone, () => this.#emit("next"), this.isLater ? t("outcome-back-to-today") : text);
    switch (this.#kind) {
      case "unknown":
        return this.till?.isOurs(entry) && this.till.waits.get(entry.key) !== null
          ? html`${action("primary", () => this.till?.askNow(entry.key), t("unknown-ask-now"))}${next("", t("unknown-next-customer"))}`
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

  /**
   * @param {Entry} entry
   * @param {"amount" | "total"} field
   */
  #money({ note }, field) {
    return html`<bdi>${money(Number(note[field]), String(note.currency))}</bdi>`;
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
  return html`<time class="when">${time(at, { hour: "2-digit", minute: "2-digit", second: "2-digit" })}</time>`;
}

customElements.define("till-outcome", OutcomeView);
export { OutcomeView };
