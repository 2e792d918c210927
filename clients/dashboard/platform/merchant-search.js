// A field that finds a merchant by its name.

import { html, LitElement, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { api, call, explain } from "../shell/api.js";

/** @typedef {import("../shell/store.js").Schemas["MerchantEntry"]} Merchant */

const FOUND = 6;

/** Says `chosen` with the merchant, or with null for all. */
export class MerchantSearch extends LitElement {
  text = "";
  /** @type {Merchant[] | null} */
  found = null;
  /** @type {Merchant | null} */
  chosen = null;
  /** @type {unknown} */
  problem = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  typing = undefined;

  createRenderRoot() {
    return this;
  }

  /** @param {string} text */
  type(text) {
    this.text = text;
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.search(text.trim()), 250);
  }

  /** @param {string} q */
  async search(q) {
    this.problem = null;
    try {
      const answer = q
        ? await call(() => api.GET("/api/admin/merchants", { params: { query: { q, limit: FOUND } } }))
        : null;
      if (q === this.text.trim()) this.found = answer?.data.merchants ?? null; // else a newer search replaces it
    } catch (problem) {
      this.problem = problem;
    }
    this.requestUpdate();
  }

  /** @param {Merchant | null} merchant */
  async choose(merchant) {
    this.chosen = merchant;
    this.text = "";
    this.found = null;
    this.dispatchEvent(new CustomEvent("chosen", { detail: merchant }));
    this.requestUpdate();
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.querySelector("button, input"))?.focus();
  }

  render() {
    return this.chosen ? this.choice(this.chosen) : this.field();
  }

  /** @param {Merchant} merchant */
  choice(merchant) {
    return html`<div class="field">
      <span class="small" id="chosen-merchant">Merchant</span>
      <p class="bar" aria-describedby="chosen-merchant">
        <b class="wrap" dir="auto">${merchant.name}</b>
        <button class="button" type="button" @click=${() => this.choose(null)}>All merchants instead</button>
      </p>
    </div>`;
  }

  field() {
    return html`<div class="field">
      <label for="merchant-search">Merchant</label>
      <input
        class="input"
        id="merchant-search"
        type="search"
        autocomplete="off"
        aria-describedby="merchant-search-hint"
        .value=${this.text}
        @input=${(/** @type {Event} */ event) => this.type(/** @type {HTMLInputElement} */ (event.target).value)}
      />
      <span class="hint" id="merchant-search-hint">All merchants, unless you choose one.</span>
      <div role="status">${this.results()}</div>
    </div>`;
  }

  results() {
    if (this.problem) return html`<span class="error">Merchants could not be searched. ${explain(this.problem)}</span>`;
    if (!this.found) return nothing;
    if (this.found.length === 0) return html`<span class="small">No merchant has this name.</span>`;
    return html`<ul class="found">
      ${this.found.map(
        (merchant) =>
          html`<li>
            <button class="button quiet" type="button" @click=${() => this.choose(merchant)}>
              <span class="truncate" dir="auto">${merchant.name}</span>${badge(merchant.status)}
            </button>
          </li>`,
      )}
    </ul>`;
  }
}
customElements.define("merchant-search", MerchantSearch);
