// Today: the till's own journal. The API has no list of what one till did.

import { html } from "/kit/vendor/lit.js";
import { toneBadge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { View, cardRef } from "../shell/view.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */

const BADGES = {
  done: toneBadge("ok", "Done"),
  refused: toneBadge("bad", "Refused"),
  notSent: toneBadge("bad", "Not sent"),
  closed: toneBadge("bad", "Not carried out"),
  byHand: toneBadge("neutral", "Checked by hand"),
  unknown: toneBadge("open", "Not known yet"),
};

class TodayView extends View {
  static properties = { till: { attribute: false } };

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
  }

  get isAtStart() {
    return true;
  }

  get isEngaged() {
    return false;
  }

  reset() {}

  back() {}

  press() {}

  render() {
    const midnight = new Date().setHours(0, 0, 0, 0);
    // Of another merchant's calls, only those are shown that somebody has to check.
    const entries = (this.till?.entries ?? []).filter(
      (entry) => entry.outcome === null || (entry.startedAt >= midnight && this.till?.isOurs(entry)),
    );
    // What is not known yet comes first: it waits for somebody.
    entries.sort((a, b) => Number(b.outcome === null) - Number(a.outcome === null));
    return html` <div class="screen">
      <div class="stack grow">
        <h1 tabindex="-1">Today</h1>
        ${
          entries.length === 0
            ? html`<div class="empty">
                <b>Nothing yet</b>
                <p>Cards that this till sells and redeems appear here.</p>
              </div>`
            : html`${this.#sums(entries)}
                <ul class="panel journal">
                  ${entries.map((entry) => html`<li>${this.#row(entry)}</li>`)}
                </ul>`
        }
      </div>
    </div>`;
  }

  /** @param {Entry[]} entries */
  #sums(entries) {
    const currency = this.till?.pairing?.merchant.currency ?? "";
    const sum = (/** @type {Entry["call"]} */ call) => {
      const done = entries.filter(
        (entry) =>
          entry.call === call &&
          !entry.note.isCredit &&
          entry.outcome?.kind === "done" &&
          entry.note.currency === currency,
      );
      return formatMinor(
        done.reduce((total, { note }) => total + Number(note.amount), 0),
        currency,
      );
    };
    return html` <dl class="split">
      <div>
        <dt>Redeemed</dt>
        <dd><bdi>${sum("redeem")}</bdi></dd>
      </div>
      <div>
        <dt>Sold</dt>
        <dd><bdi>${sum("issue")}</bdi></dd>
      </div>
    </dl>`;
  }

  /** @param {Entry} entry */
  #row(entry) {
    const { call, note, outcome, startedAt } = entry;
    const time = new Date(startedAt).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
    return html` <button
      type="button"
      @click=${() => this.dispatchEvent(new CustomEvent("open-entry", { detail: entry.key, bubbles: true }))}
    >
      <span
        >${call === "redeem" ? html`Redeem ${cardRef(String(note.ref))}` : html`${note.isCredit ? "Give" : "Sell"} <span dir="auto">${note.offer}</span>`}</span
      >
      <b class="num"><bdi>${formatMinor(Number(note.amount), String(note.currency))}</bdi></b>
      <span class="faint"
        ><time>${time}</time
        >${this.till?.isOurs(entry) ? "" : html` · <span dir="auto">${note.merchantName ?? "Earlier version"}</span>`}</span
      >
      ${BADGES[outcome?.kind ?? "unknown"]}
    </button>`;
  }
}

customElements.define("till-today", TodayView);
export { TodayView };
