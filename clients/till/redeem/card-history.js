// What this merchant's tills and shop did with a card. Over the card's screen, which stays as it is.

import { once } from "/kit/once.js";
import { createRef, html, nothing, ref } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { findHistory } from "../cards/look-ups.js";
import { startGivingBack } from "../give-back/redemption.js";
import { View, cardRef, icon } from "../shell/view.js";

/** @typedef {import("../cards/look-ups.js").History} History */
/** @typedef {History["events"][number]} Event_ */

/** @type {Record<string, string>} */
const KINDS = { ISSUED: "Issued", REDEEMED: "Redeemed", GIVEN_BACK: "Given back", UNKNOWN: "Not known yet" };

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
    return html` <button type="button" class="button" aria-haspopup="dialog" @click=${this.#open}>History</button>
      <dialog ${ref(this.dialog)} class="sheet" aria-labelledby="history-title">
        <h2 id="history-title">Card ${cardRef(this.card.ref)}</h2>
        <div class="sheet-body" tabindex="0" role="region" aria-labelledby="history-title">
          ${
            this.error
              ? html`<div class="notice bad" role="alert">
                  ${icon("warning")}
                  <p>${this.error}</p>
                </div>`
              : this.history
                ? this.#list(this.history)
                : skeleton
          }
        </div>
        <footer>
          ${this.error ? html`<button type="button" class="button" @click=${this.#load}>Try again</button>` : nothing}
          <button type="button" class="button" @click=${() => this.dialog.value?.close()}>Close</button>
        </footer>
      </dialog>`;
  }

  /** @param {History} history */
  #list({ events, nextCursor, addsUp, balance }) {
    return html` ${
        addsUp === false
          ? html` <div class="notice warn">
              ${icon("warning")}
              <p>This does not match the balance of the card. Ask the administrator to look into it.</p>
            </div>`
          : nothing
      }
      ${
        balance
          ? html` <p class="muted">
              On the card now: <b><bdi>${formatMinor(balance.remainingValueMinor, balance.currency)}</bdi></b>
            </p>`
          : nothing
      }
      ${
        events.length === 0
          ? html` <div class="empty">
              <b>Nothing yet</b>
              <p>What your tills and your shop do with this card appears here.</p>
            </div>`
          : nothing
      }
      <ul class="events">
        ${events.map((event) => this.#event(event))}
      </ul>
      ${nextCursor ? html`<button type="button" class="button" @click=${this.#more}>Show earlier</button>` : nothing}`;
  }

  /** @param {Event_} event */
  #event(event) {
    const { kind, at, amountMinor, refundedMinor, currency, storeName, by } = event;
    const money = (/** @type {number} */ minor) => html`<bdi>${formatMinor(minor, currency)}</bdi>`;
    const time = new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    const where = [storeName, by].filter(Boolean).join(", ");
    return html` <li>
      <span>${KINDS[kind] ?? "Changed"}</span><b class="num">${kind === "REDEEMED" ? "−" : ""}${money(amountMinor)}</b>
      <span class="faint"><time>${time}</time>${where ? html`, <span dir="auto">${where}</span>` : nothing}</span>
      ${kind === "REDEEMED" && refundedMinor ? html`<span class="faint">${money(refundedMinor)} given back</span>` : nothing}
      ${
        kind === "REDEEMED" && event.redemptionId && amountMinor > (refundedMinor ?? 0)
          ? html`<button type="button" class="button" @click=${() => this.#giveBack(event)}>Give back</button>`
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
    else
      this.error =
        failure.status === 404
          ? "This card has no history here."
          : "The history could not be loaded. Nothing was changed.";
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

const skeleton = html`<div class="skeleton offer" role="status" aria-label="Loading the history"></div>`;

customElements.define("till-card-history", CardHistory);
