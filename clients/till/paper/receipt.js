// What a customer can have of a redemption: a receipt on paper, or the page that shows what is left, both without the card's code.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import "./qr-code.js";
import { balancePage, removeTicket, showReceipt } from "./ticket.js";
import { forCustomers, t } from "../shell/text.js";
import { View, icon } from "../shell/view.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */

class ReceiptView extends View {
  static properties = { till: { attribute: false }, entry: { attribute: false }, left: { attribute: false } };

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
    /** @type {Entry | null} */
    this.entry = null;
    /** What is left on the card, minor units; null: not known. @type {number | null} */
    this.left = null;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeTicket();
  }

  /** The page's own "Print…" prints the receipt as well. */
  updated() {
    const { entry, till, left } = this;
    if (!this.isConnected || !entry || !till?.pairing) return;
    const { note, outcome, startedAt } = entry;
    const words = forCustomers();
    const money = (/** @type {unknown} */ minor) => formatMinor(Number(minor), String(note.currency), words);
    const reference = outcome?.kind === "done" && outcome.call === "redeem" ? outcome.result?.redemptionId : null;
    showReceipt({
      ...till.pairing,
      at: startedAt,
      amount: money(note.amount),
      lines: [
        [words.t("receipt-total"), money(note.total)],
        [words.t("receipt-card"), `•••• ${note.ref}`],
        ...(left === null ? [] : [/** @type {[string, string]} */ ([words.t("receipt-left"), money(left)])]),
        ...(reference ? [/** @type {[string, string]} */ ([words.t("receipt-reference"), reference])] : []),
      ],
    });
  }

  render() {
    const merchant = this.till?.pairing?.merchant;
    return merchant
      ? html`<button type="button" class="button" @click=${() => print()}>${icon("print")}${t("receipt-print")}</button>
          <details>
            <summary>${t("receipt-no-paper")}</summary>
            <till-qr .text=${balancePage(merchant)} .label=${"qr-balance-page"}></till-qr>
            <p>${t("receipt-page")}</p>
          </details>`
      : nothing;
  }
}

customElements.define("till-receipt", ReceiptView);
