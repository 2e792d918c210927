// Look-up of one gift card by its code.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, toneBadge } from "/kit/badge.js";
import { formatUnits } from "/kit/money.js";
import { formatDate, formatDateTime } from "/kit/time.js";
import { property } from "/portal-api/errors.js";
import { api, call, explain, Problem } from "../api.js";
import { icon } from "../icons.js";
import { Page } from "../page.js";
import { maskCode } from "../card-code.js";
import { bars, empty, head } from "../parts.js";
import { store } from "../store.js";
import "../search-key.js";

class CardsPage extends Page {
  code = "";
  busy = false;
  error = "";
  /** The card network's record: fields that are not described by the API. @type {unknown} */
  card = undefined;
  /** When the network said so: a balance is only as true as its time. */
  asked = 0;

  /** @param {SubmitEvent} event */
  async lookUp(event) {
    event.preventDefault();
    const qr = this.code.trim();
    if (this.busy) return;
    if (!qr) {
      this.error = "Type or scan a code.";
      return this.requestUpdate();
    }
    this.busy = true;
    this.error = "";
    this.card = undefined;
    this.requestUpdate();
    try {
      this.card = (await call(() => api.GET("/api/bff/cards/{qr}", { params: { path: { qr } } }))).data ?? null;
      this.asked = Date.now();
    } catch (problem) {
      this.error =
        problem instanceof Problem && problem.status === 404
          ? "No such card. Check the code."
          : `The card could not be looked up. ${explain(problem)}`;
    }
    this.busy = false;
    this.requestUpdate();
    await this.updateComplete;
    this.querySelector("input")?.select();
  }

  firstUpdated() {
    this.querySelector("input")?.focus();
  }

  render() {
    return html`${head("Gift cards", "Balance and status of one card")}
      <section class="panel">
        <form class="lookup" role="search" @submit=${this.lookUp}>
          <div class="field">
            <label for="code">Code of the card</label
            ><input
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
        </form>
        ${this.busy ? bars(3) : this.card === undefined ? empty("The card appears here", "Its balance and status come from the card network at that moment.") : this.record()}
      </section>`;
  }

  record() {
    const card = this.card;
    const currency = text(property(card, "currency")) ?? store.currency;
    /** @param {string} name */
    const amount = (name) => {
      const value = property(card, name);
      return typeof value === "number" || typeof value === "string" ? formatUnits(value, currency) : null;
    };
    const expiry = text(property(card, "expiresAt"));
    const status = text(property(card, "status"));
    // The network leaves expired cards ACTIVE: the date decides.
    const expired = expiry !== null && Date.parse(expiry) < Date.now();
    const left = amount("valueRemains");
    return html`<div class="balance" role="status">
        <p class="muted">
          <span class="mono">${maskCode(text(property(card, "qrCode")) ?? this.code)}</span>
          ${expired ? toneBadge("neutral", "Expired") : badge(status)}
        </p>
        <p class="figure">${left === null ? "Balance not known" : html`<bdi>${left}</bdi> left`}</p>
      </div>
      <dl class="pairs inset">
        ${[
          ["Value when sold", amount("value")],
          [expired ? "Expired" : "Works until", expiry && formatDate(expiry, store.timeZone)],
          ["Asked", formatDateTime(this.asked, store.timeZone)],
        ].map(([name, value]) =>
          value
            ? html`<div>
                <dt>${name}</dt>
                <dd><bdi>${value}</bdi></dd>
              </div>`
            : nothing,
        )}
      </dl>`;
  }
}

/** @param {unknown} value */
function text(value) {
  return typeof value === "string" && value !== "" ? value : null;
}

customElements.define("cards-page", CardsPage);
