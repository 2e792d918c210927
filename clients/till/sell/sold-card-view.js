// A card that was issued, for the customer: its code on the screen, as large as it gets on request, and on paper.

import { createRef, html, nothing, ref } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import "../paper/qr-code.js";
import { lookAgain } from "../cards/look-ups.js";
import { removeTicket, showTicket } from "../paper/ticket.js";
import { around, forCustomers, t } from "../shell/text.js";
import { View, icon } from "../shell/view.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */

class SoldCardView extends View {
  static properties = { till: { attribute: false }, entry: { attribute: false } };

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
    /** @type {Entry | null} */
    this.entry = null;
    /** @type {import("/kit/vendor/lit.js").Ref<HTMLDialogElement>} */
    this.dialog = createRef();
    this.looked = "";
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeTicket();
  }

  /** The page's own "Print…" prints the card as well, as long as it is shown: a late answer does not bring it back. */
  updated() {
    if (!this.isConnected) return;
    const { entry, till } = this;
    const code = entry && codeOf(entry);
    if (!entry || !code || !till?.pairing) return;
    const card = till.cardsNow.get(entry.key);
    showTicket({
      ...till.pairing,
      code,
      at: entry.startedAt,
      title: titleOf(entry),
      amount: amountOf(entry),
      expiresAt: card?.expiresAt ?? null,
    });
    // How long it is valid, only its record says.
    if (this.looked === entry.key || card !== undefined || !till.isOurs(entry)) return;
    this.looked = entry.key;
    void lookAgain(till, entry.key, code).then(() => this.requestUpdate());
  }

  render() {
    const { entry } = this;
    if (!entry) return nothing;
    const code = codeOf(entry);
    const { sentTo } = entry.note;
    return html` <p class="lead" dir="auto">${entry.note.offer}</p>
      ${
        sentTo
          ? html`<p class="sent">
                ${icon("send")}<span>${around("sold-sent", { address: html`<bdi>${sentTo}</bdi>` })}</span>
              </p>
              <details>
                <summary>${t("sold-wrong-address")}</summary>
                <p>${t("sold-wrong-address-help")}</p>
              </details>`
          : nothing
      }
      ${
        code
          ? this.#code(code, entry)
          : html` <div class="notice warn">
              ${icon("warning")}
              <p>${t("sold-no-code")}</p>
            </div>`
      }`;
  }

  /**
   * @param {string} code
   * @param {Entry} entry
   */
  #code(code, entry) {
    return html` <div class="handover">
        <till-qr .text=${code}></till-qr>
        <p class="muted code-below">${t("sold-let-scan")}<br /><span class="mono wrap">${code}</span></p>
        <div class="choice">
          <button type="button" class="button" @click=${() => this.dialog.value?.showModal()}>
            ${icon("camera")}${t("sold-full-screen")}
          </button>
          <button type="button" class="button" @click=${() => print()}>${icon("print")}${t("sold-print")}</button>
        </div>
      </div>
      <dialog ${ref(this.dialog)} class="poster" aria-label=${t("sold-code")}>
        <p><b dir="auto">${titleOf(entry)}</b><bdi>${amountOf(entry)}</bdi></p>
        <till-qr .text=${code}></till-qr>
        <button type="button" class="button large" @click=${() => this.dialog.value?.close()}>${t("close")}</button>
      </dialog>`;
  }
}

/** @param {Entry} entry */
function codeOf({ outcome }) {
  const code = outcome?.kind === "done" && outcome.call === "issue" ? outcome.result?.qrCode : null;
  return typeof code === "string" ? code : "";
}

/** @param {Entry} entry */
function titleOf({ note }) {
  return String(note.offer ?? "");
}

/** As the customer reads it. @param {Entry} entry */
function amountOf({ note }) {
  return formatMinor(Number(note.amount), String(note.currency), { locale: forCustomers().locale });
}

customElements.define("till-sold-card", SoldCardView);
