// Look-up of one gift card by its code, with its history. A code is as good as money: it never stands in the address, which
// names the card of an order instead.

import { codesOf, otherThing } from "/kit/card-codes.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { badge, toneBadge } from "/kit/badge.js";
import { formatUnits } from "/kit/decimals.js";
import { formatDate, formatDateTime } from "/kit/time.js";
import { api, call, explain, Problem } from "../shell/api.js";
import { CardHistory } from "./card-history.js";
import { icon } from "../shell/icons.js";
import { Page } from "../shell/page.js";
import { maskCode } from "../orders/card-code.js";
import { pairs } from "../shell/pairs.js";
import { bars, empty, head } from "../shell/parts.js";
import { go } from "../shell/router.js";
import { store } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";
import "../shell/search-key.js";

/** The card network's record, as it is. @typedef {import("../shell/store.js").Schemas["NetworkCard"]} NetworkCard */

class CardsPage extends Page {
  code = "";
  busy = false;
  error = "";
  /** @type {NetworkCard | null} */
  card = null;
  /** When the network said so: a balance is only as true as its time. */
  asked = 0;
  history = new CardHistory(this);

  async arrive() {
    const [order, card] = [this.query.get("order"), this.query.get("card")];
    if (!order || !card) return;
    this.begin();
    try {
      const params = { path: { orderId: order } };
      const { data } = await call(() => api.GET("/api/bff/merchant-orders/{orderId}", { params }));
      const code = data.giftCards.find(({ id }) => id === card)?.qrCode;
      if (code) await this.ask(code);
      else this.error = "This order has no such card.";
    } catch (problem) {
      this.error = `The order could not be loaded. ${explain(problem)}`;
    }
    this.end();
  }

  /** @param {SubmitEvent} event */
  async lookUp(event) {
    event.preventDefault();
    const qr = this.code.trim();
    if (this.busy) return;
    if (!qr) {
      this.error = "Type or scan a code.";
      return this.requestUpdate();
    }
    if (location.search) go("/gift-cards", { replace: true }); // it is another card
    this.begin();
    await this.ask(qr);
    this.end();
    await this.updateComplete;
    this.querySelector("input")?.select();
  }

  begin() {
    this.busy = true;
    this.error = "";
    this.card = null;
    this.requestUpdate();
  }

  end() {
    this.busy = false;
    this.requestUpdate();
  }

  /** @param {string} text */
  async ask(text) {
    for (const qr of codesOf(text)) {
      try {
        this.card = (await call(() => api.GET("/api/bff/cards/{qr}", { params: { path: { qr } } }))).data;
        this.asked = Date.now();
        return this.history.load(qr);
      } catch (problem) {
        if (problem instanceof Problem && problem.status === 404) continue;
        this.error = `The card could not be looked up. ${explain(problem)}`;
        return;
      }
    }
    this.error = otherThing(text) || "No such card. Check the code.";
  }

  firstUpdated() {
    if (!this.query.get("card")) this.querySelector("input")?.focus();
  }

  render() {
    return html`${head("Gift cards", "Balance, status and history of one card")}
      <section class="panel">${this.form()}${this.card && !this.busy ? nothing : this.waiting()}</section>
      ${this.card && !this.busy ? this.found(this.card) : nothing}`;
  }

  form() {
    return html`<form class="lookup" role="search" @submit=${this.lookUp}>
      <div class="field">
        <label for="code">Code of the card</label>
        <input
          class="input mono"
          id="code"
          type="search"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          dir="ltr"
          maxlength="200"
          aria-describedby=${this.error ? "code-error" : nothing}
          aria-invalid=${this.error ? "true" : "false"}
          .value=${this.code}
          @input=${(/** @type {Event} */ event) => {
            this.code = /** @type {HTMLInputElement} */ (event.target).value;
          }}
        />
      </div>
      <button class="button primary" aria-busy=${this.busy ? "true" : "false"}>${icon("search")}Look up</button>
      ${this.error ? html`<p class="field"><span class="error" id="code-error" role="alert">${this.error}</span></p>` : nothing}
    </form>`;
  }

  waiting() {
    return this.busy
      ? bars(3)
      : empty("The card appears here", "Its current balance and status come from the card network.");
  }

  /** @param {NetworkCard} card */
  found(card) {
    return html`<div class="beside start facts-first">
      <section class="panel">${this.record(card)}</section>
      ${this.history.panel()}
    </div>`;
  }

  /** @param {NetworkCard} card */
  record(card) {
    const currency = card.currency || store.currency;
    const expiry = card.expiresAt || null;
    // The network leaves expired cards ACTIVE: the date decides.
    const expired = expiry !== null && Date.parse(expiry) < Date.now();
    const left = amountOf(card.valueRemains, currency);
    return html`<div class="balance" role="status">
        <p class="muted">
          <span class="mono">${maskCode(String(card.qrCode ?? this.code))}</span>
          ${expired ? toneBadge("neutral", "Expired") : badge(card.status)}
        </p>
        <p class="figure">${left === null ? "Balance not known" : html`<bdi>${left}</bdi> left`}</p>
      </div>
      ${pairs([
        ["Value when sold", amountOf(card.value, currency)],
        [expired ? "Expired" : "Works until", expiry && formatDate(expiry, store.timeZone)],
        ["Looked up", formatDateTime(this.asked, store.timeZone)],
      ])}`;
  }
}

/** @param {string | number | null | undefined} units @param {string} currency */
function amountOf(units, currency) {
  return units === null || units === undefined || units === "" ? null : formatUnits(units, currency);
}

await loadSheet("/desk.css");
customElements.define("cards-page", CardsPage);
