// A code was scanned while something else is on the screen. It is looked up if the cashier wants it; until it is found, what
// is on the screen stays.

import { html, nothing } from "/kit/vendor/lit.js";
import { countdown } from "./countdown.js";
import { findCard } from "./look-ups.js";
import { View, icon } from "./view.js";
import { cardFailureText, retryTime } from "./words.js";

const SHOWN_LENGTH = 28;

class ScanOffer extends View {
  static properties = {
    till: { attribute: false },
    code: { attribute: false },
    search: { state: true },
    error: { state: true },
  };

  constructor() {
    super();
    /** @type {import("./till.js").Till | null} */
    this.till = null;
    this.code = "";
    /** The look-up that is on its way. @type {AbortController | null} */
    this.search = null;
    this.error = "";
    /** @type {number | null} */
    this.retryAt = null;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.search?.abort();
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("code")) return;
    // The latest scan wins.
    this.#stop();
    this.error = "";
    this.retryAt = null;
  }

  render() {
    const name = this.code.length > SHOWN_LENGTH ? `${this.code.slice(0, SHOWN_LENGTH)}…` : this.code;
    return html` <div class="notice info scan-offer">
      ${icon("camera")}
      <p>
        <b>Scanned <span class="mono wrap">${name}</span></b> ${
          this.error
            ? html`<span class="error">${this.error} ${countdown(this.retryAt)}</span> What is on the screen has not
                changed.`
            : this.search
              ? "Looking it up."
              : "Another card? What is on the screen has not changed."
        }
      </p>
      <div class="choice">
        ${
          this.search
            ? html`<button type="button" class="button" @click=${this.#stop}>Cancel</button>`
            : html`<button type="button" class="button" @click=${this.#find}>Look it up</button>`
        }
        <button type="button" class="button quiet" @click=${this.#dismiss}>Dismiss</button>
      </div>
    </div>`;
  }

  async #find() {
    if (!this.till || this.search) return;
    const search = new AbortController();
    this.search = search;
    this.error = "";
    const { card, failure } = await findCard(this.till, [this.code], search.signal);
    if (this.search !== search) return;
    this.search = null;
    if (card) {
      this.dispatchEvent(new CustomEvent("card-found", { detail: card, bubbles: true }));
    } else {
      this.error = cardFailureText(failure, this.code);
      this.retryAt = retryTime(failure);
    }
  }

  #stop() {
    this.search?.abort();
    this.search = null;
  }

  #dismiss() {
    this.dispatchEvent(new Event("dismiss", { bubbles: true }));
  }
}

/**
 * @param {import("./till.js").Till} till
 * @param {string} code "" for none
 * @param {{onFound: (event: CustomEvent<import("./card.js").Card>) => void, onDismiss: () => void}} handlers
 */
export function scanOffer(till, code, { onFound, onDismiss }) {
  return code
    ? html`<till-scan-offer .till=${till} .code=${code} @card-found=${onFound} @dismiss=${onDismiss}></till-scan-offer>`
    : nothing;
}

customElements.define("till-scan-offer", ScanOffer);
