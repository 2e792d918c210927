// Pairs the till by the code that the dashboard shows.

import { once } from "/kit/once.js";
import { html, live } from "/kit/vendor/lit.js";
import { countdown } from "./countdown.js";
import { around, t } from "./text.js";
import { View } from "./view.js";
import { pairingFailureText, retryTime } from "./words.js";

const CODE_LENGTH = 10;

class PairingView extends View {
  static properties = {
    till: { attribute: false },
    code: { state: true },
    error: { state: true },
    retryAt: { state: true },
    isBusy: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
    this.code = "";
    this.error = "";
    /** @type {number | null} */
    this.retryAt = null;
    this.isBusy = false;
  }

  firstUpdated() {
    this.querySelector("input")?.focus();
  }

  render() {
    const name = this.till?.pairing?.till.name;
    return html` <form class="screen narrow" novalidate @submit=${this.#submit}>
      <div class="stack grow">
        <img class="mark" src="/icon.svg" alt="" />
        <h1 tabindex="-1">
          ${name ? around("pairing-title-again", { till: html`<span dir="auto">${name}</span>` }) : t("pairing-title")}
        </h1>
        <p class="muted">${t(name ? "pairing-lead-again" : "pairing-lead")}</p>
        <div class="field">
          <label for="pairing-code">${t("pairing-code")}</label>
          <input
            id="pairing-code"
            class="input code mono"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            placeholder="ABCDE-FGHJK"
            enterkeyhint="go"
            aria-invalid=${this.error ? "true" : "false"}
            aria-describedby="pairing-hint"
            .value=${live(grouped(this.code))}
            @input=${this.#input}
          />
          ${
            this.error
              ? html`<span id="pairing-hint" class="error" role="alert">${this.error} ${countdown(this.retryAt)}</span>`
              : html`<span id="pairing-hint" class="hint">${t("pairing-hint", { count: CODE_LENGTH })}</span>`
          }
        </div>
      </div>
      <div class="actions">
        <button class="button large primary" aria-busy=${this.isBusy ? "true" : "false"}>
          ${t(this.isBusy ? "pairing-busy" : "pairing-button")}
        </button>
      </div>
    </form>`;
  }

  /** @param {InputEvent & {target: HTMLInputElement}} event */
  #input({ target }) {
    this.code = target.value
      .normalize("NFKC")
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]/g, "")
      .slice(0, CODE_LENGTH);
    this.error = "";
    // Even if the code is the same as before, such as after a dash.
    this.requestUpdate();
    if (this.code.length === CODE_LENGTH) void this.#pair();
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    void this.#pair();
  }

  #pair = once(async () => {
    if (!this.till) return;
    this.retryAt = null;
    if (this.code.length < CODE_LENGTH) {
      this.error = t("pairing-too-short", { count: CODE_LENGTH });
      this.querySelector("input")?.focus();
      return;
    }
    this.isBusy = true;
    const failure = await this.till.pair(this.code);
    this.isBusy = false;
    if (!failure) return;
    this.error = pairingFailureText(failure);
    this.retryAt = retryTime(failure);
    this.querySelector("input")?.select();
  });
}

/** @param {string} code */
function grouped(code) {
  return code.length > 5 ? `${code.slice(0, 5)}-${code.slice(5)}` : code;
}

customElements.define("till-pairing", PairingView);
