// What this merchant's tills and shop did with a card. Over the card's screen, which stays as it is.

import { once } from "/kit/once.js";
import { createRef, html, nothing, ref } from "/kit/vendor/lit.js";
import { findHistory } from "../cards/look-ups.js";
import { startGivingBack } from "../give-back/redemption.js";
import { money, time } from "../shell/formats.js";
import { around, t } from "../shell/text.js";
import { View, cardRef, icon } from "../shell/view.js";

/** @typedef {import("../cards/look-ups.js").History} History */
/** @typedef {History["events"][number]} Event_ */

/** Ids of messages. @type {Record<string, string>} */
const KINDS = {
  ISSUED: "history-issued",
  REDEEMED: "history-redeemed",
  GIVEN_BACK: "history-given-back",
  UNKNOWN: "history-unknown",
};

class CardHistory extends View {
  static properties = {
    till: { attribute: false },
    card: { attribute: false },
    history: { state: true },
    error: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
    /** @type {import("../cards/card.js").Card | null} */
    this.card = null;
    /** All pages so far, as one. @type {History | null} */
    this.history = null;
    this.error = "";
    /** @type {import("/kit/vendor/lit.js").Ref<HTMLDialogElement>} */
    this.dialog = createRef();
  }

  render() {
    if (!this.card) return nothing;
    return html` <button type="button" class="button" aria-haspopup="dialog" @click=${this.#open}>
        ${t("history-button")}
      </button>
      <dialog ${ref(this.dialog)} class="sheet" aria-labelledby="history-title">
        <h2 id="history-title">${around("history-title", { card: cardRef(this.card.ref) })}</h2>
        <div class="sheet-body" tabindex="0" role="region" aria-labelledby="history-title">
          ${
            this.error
              ? html`<div class="notice bad" role="alert">
                  ${icon("warning")}
                  <p>${this.error}</p>
                </div>`
              : this.history
                ? this.#list(this.history)
                : skeleton()
          }
        </div>
        <footer>
          ${this.error ? html`<button type="button" class="button" @click=${this.#load}>${t("again")}</button>` : nothing}
          <button type="button" class="button" @click=${() => this.dialog.value?.close()}>${t("close")}</button>
        </footer>
      </dialog>`;
  }

  /** @param {History} history */
  #list({ events, nextCursor, addsUp, balance }) {
    return html` ${
        addsUp === false
          ? html` <div class="notice warn">
              ${icon("warning")}
              <p>${t("history-differs")}</p>
            </div>`
          : nothing
      }
      ${
        balance
          ? html` <p class="muted">
              ${around("history-balance", { amount: html`<b><bdi>${money(balance.remainingValueMinor, balance.currency)}</bdi></b>` })}
            </p>`
          : nothing
      }
      ${
        events.length === 0
          ? html` <div class="empty">
              <b>${t("history-empty-title")}</b>
              <p>${t("history-empty")}</p>
            </div>`
          : nothing
      }
      <ul class="events">
        ${events.map((event) => this.#event(event))}
      </ul>
      ${nextCursor ? html`<button type="button" class="button" @click=${this.#more}>${t("history-earlier")}</button>` : nothing}`;
  }

  /** @param {Event_} event */
  #event(event) {
    const { kind, at, amountMinor, refundedMinor, currency, storeName, by } = event;
    const amount = (/** @type {number} */ minor) => html`<bdi>${money(minor, currency)}</bdi>`;
    const where = [storeName, by].filter(Boolean).join(", ");
    return html` <li>
      <span>${t(KINDS[kind] ?? "history-changed")}</span
      ><b class="num">${kind === "REDEEMED" ? "−" : ""}${amount(amountMinor)}</b>
      <span class="faint"
        ><time>${time(at, { dateStyle: "medium", timeStyle: "short" })}</time
        >${where ? html`, <span dir="auto">${where}</span>` : nothing}</span
      >
      ${kind === "REDEEMED" && refundedMinor ? html`<span class="faint">${around("history-refunded", { amount: amount(refundedMinor) })}</span>` : nothing}
      ${
        kind === "REDEEMED" && event.redemptionId && amountMinor > (refundedMinor ?? 0)
          ? html`<button type="button" class="button" @click=${() => this.#giveBack(event)}>${t("give-back")}</button>`
          : nothing
      }
    </li>`;
  }

  async #open() {
    this.history = null;
    this.dialog.value?.showModal();
    await this.#load();
  }

  /** The first page, or the next one. */
  async #load() {
    const { till, card, history: earlier } = this;
    if (!till || !card) return;
    this.error = "";
    const { history, failure } = await findHistory(till, card.code, earlier?.nextCursor ?? null);
    if (card !== this.card) return;
    if (history) this.history = { ...history, events: [...(earlier?.events ?? []), ...history.events] };
    else this.error = t(failure.status === 404 ? "history-none" : "history-failed");
  }

  #more = once(() => this.#load());

  /** @param {Event_} event */
  #giveBack({ redemptionId, amountMinor, refundedMinor, currency }) {
    if (!this.till || !this.card || !redemptionId) return;
    const { code, ref: cardEnd } = this.card;
    this.dialog.value?.close();
    startGivingBack(this.till, {
      redemptionId,
      ref: cardEnd,
      code,
      currency,
      amount: amountMinor,
      given: refundedMinor ?? 0,
    });
  }
}

const skeleton = () => html`<div class="skeleton offer" role="status" aria-label=${t("history-loading")}></div>`;

customElements.define("till-card-history", CardHistory);
