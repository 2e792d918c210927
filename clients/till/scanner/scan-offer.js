// A code was scanned while something else is on the screen. It is looked up if the cashier wants it; until it is found, what
// is on the screen stays.

import { html, nothing } from "/kit/vendor/lit.js";
import { countdown } from "../shell/countdown.js";
import { findCard } from "../cards/look-ups.js";
import { around, t } from "../shell/text.js";
import { View, icon } from "../shell/view.js";
import { cardFailureText, retryTime } from "../shell/words.js";

/** @typedef {import("./key-reader.js").Scan} Scan */

const SHOWN_LENGTH = 28;
/** So few digits can be an amount, typed in haste. */
const LONGEST_AMOUNT = 7;

class ScanOffer extends View {
  static properties = {
    till: { attribute: false },
    scan: { attribute: false },
    search: { state: true },
    error: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
    /** @type {Scan} */
    this.scan = { kind: "scanned", code: "", keys: [] };
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
    if (!changed.has("scan")) return;
    // The latest scan wins.
    this.#stop();
    this.error = "";
    this.retryAt = null;
  }

  render() {
    const { code, keys } = this.scan;
    const name = code.length > SHOWN_LENGTH ? `${code.slice(0, SHOWN_LENGTH)}…` : code;
    const mayBeAmount = keys.length <= LONGEST_AMOUNT && keys.every((key) => /^[\d.,]$/.test(key));
    return html` <div class="notice info scan-offer">
      ${icon("camera")}
      <p>
        <b
          >${name ? around("scan-scanned", { code: html`<span class="mono wrap">${name}</span>` }) : t("scan-unreadable")}</b
        >
        ${
          this.error
            ? html`<span class="error">${this.error} ${countdown(this.retryAt)}</span> ${t("scan-unchanged")}`
            : this.search
              ? t("scan-looking")
              : t("scan-another-card")
        }
      </p>
      <div class="choice">
        ${
          this.search
            ? html`<button type="button" class="button" @click=${this.#stop}>${t("cancel")}</button>`
            : code
              ? html`<button type="button" class="button" @click=${this.#find}>${t("scan-find")}</button>`
              : nothing
        }
        ${mayBeAmount ? html`<button type="button" class="button" @click=${() => this.#emit("amount")}>${t("scan-was-amount")}</button>` : nothing}
        <button type="button" class="button quiet" @click=${() => this.#emit("dismiss")}>${t("dismiss")}</button>
      </div>
    </div>`;
  }

  async #find() {
    if (!this.till || this.search) return;
    const search = new AbortController();
    this.search = search;
    this.error = "";
    const { card, failure } = await findCard(this.till, [this.scan.code, this.scan.other ?? ""], search.signal);
    if (this.search !== search) return;
    this.search = null;
    if (card) {
      this.dispatchEvent(new CustomEvent("card-found", { detail: card, bubbles: true }));
    } else {
      this.error = cardFailureText(failure, this.scan.code);
      this.retryAt = retryTime(failure);
    }
  }

  #stop() {
    this.search?.abort();
    this.search = null;
  }

  /** @param {"amount" | "dismiss"} name */
  #emit(name) {
    this.dispatchEvent(new Event(name, { bubbles: true }));
  }
}

/**
 * @param {import("../till.js").Till} till
 * @param {Scan | null} scan
 * @param {{onFound: (event: CustomEvent<import("../cards/card.js").Card>) => void, onAmount: () => void, onDismiss: () => void}} handlers
 */
export function scanOffer(till, scan, { onFound, onAmount, onDismiss }) {
  return scan
    ? html`<till-scan-offer
        .till=${till}
        .scan=${scan}
        @card-found=${onFound}
        @amount=${onAmount}
        @dismiss=${onDismiss}
      ></till-scan-offer>`
    : nothing;
}

customElements.define("till-scan-offer", ScanOffer);
