// What a customer can have of a redemption: a receipt on paper, or the address of the card's page as a QR code. Neither has the card's code.

import { createRef, html, nothing, ref } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { config } from "/config.js";
import "./qr-code.js";
import { removeTicket, showReceipt } from "./ticket.js";
import { View, icon } from "./view.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */

/**
 * Where anybody who has a card's code sees what is on it.
 *
 * @param {import("./storage.js").Pairing["merchant"]} merchant
 */
export function cardPageOf({ slug }) {
  return `${config.storefront}/${encodeURIComponent(slug)}/card`;
}

class ReceiptView extends View {
  static properties = { till: { attribute: false }, entry: { attribute: false }, left: { attribute: false } };

  constructor() {
    super();
    /** @type {import("./till.js").Till | null} */
    this.till = null;
    /** @type {Entry | null} */
    this.entry = null;
    /** What is left on the card, minor units; null: not known. @type {number | null} */
    this.left = null;
    /** @type {import("/kit/vendor/lit.js").Ref<HTMLDialogElement>} */
    this.dialog = createRef();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeTicket();
  }

  /** The page's own "Print…" prints the receipt as well. */
  updated() {
    const { entry, till, left } = this;
    if (!entry || !till?.pairing) return;
    const { note, outcome, startedAt } = entry;
    const money = (/** @type {unknown} */ minor) => formatMinor(Number(minor), String(note.currency));
    const reference = outcome?.kind === "done" && outcome.call === "redeem" ? outcome.result?.redemptionId : null;
    showReceipt({
      ...till.pairing,
      at: startedAt,
      amount: money(note.amount),
      lines: [
        ["Purchase total", money(note.total)],
        ["Card", `•••• ${note.ref}`],
        ...(left === null ? [] : [/** @type {[string, string]} */ (["Left on the card", money(left)])]),
        ...(reference ? [/** @type {[string, string]} */ (["Reference", reference])] : []),
      ],
      cardPage: cardPageOf(till.pairing.merchant),
    });
  }

  render() {
    const merchant = this.till?.pairing?.merchant;
    if (!merchant) return nothing;
    const page = cardPageOf(merchant);
    return html` <div class="choice">
        <button type="button" class="button" @click=${() => print()}>${icon("print")}Print receipt</button>
        <button type="button" class="button" @click=${() => this.dialog.value?.showModal()}>
          ${icon("camera")}Card's page
        </button>
      </div>
      <dialog ${ref(this.dialog)} class="poster" aria-label="Page of the gift card">
        <p>Here the customer sees what is on the card, with its code.</p>
        <till-qr .text=${page} .label=${"QR code of the page's address"}></till-qr>
        <p class="mono">${page}</p>
        <button type="button" class="button large" @click=${() => this.dialog.value?.close()}>Close</button>
      </dialog>`;
  }
}

customElements.define("till-receipt", ReceiptView);
