// Today: the till's own journal. The API has no list of what one till did.

import { html, nothing } from "/kit/vendor/lit.js";
import { toneBadge } from "/kit/badge.js";
import { money, time } from "../shell/formats.js";
import { around, t } from "../shell/text.js";
import { View, cardRef } from "../shell/view.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */

/** Tones and ids of messages. @type {Record<string, [import("/kit/badge.js").Tone, string]>} */
const BADGES = {
  done: ["ok", "today-done"],
  refused: ["bad", "outcome-refused"],
  notSent: ["bad", "outcome-not-sent"],
  closed: ["bad", "outcome-closed"],
  byHand: ["neutral", "outcome-by-hand"],
  unknown: ["open", "outcome-unknown"],
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
        <h1 tabindex="-1">${t("today-title")}</h1>
        ${
          entries.length === 0
            ? html`<div class="empty">
                <b>${t("today-empty-title")}</b>
                <p>${t("today-empty")}</p>
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
      return money(
        done.reduce((total, { note }) => total + Number(note.amount), 0),
        currency,
      );
    };
    return html` <dl class="split">
      <div>
        <dt>${t("today-redeemed")}</dt>
        <dd><bdi>${sum("redeem")}</bdi></dd>
      </div>
      <div>
        <dt>${t("today-sold")}</dt>
        <dd><bdi>${sum("issue")}</bdi></dd>
      </div>
    </dl>`;
  }

  /** @param {Entry} entry */
  #row(entry) {
    const { call, note, outcome, startedAt } = entry;
    const [tone, id] = BADGES[outcome?.kind ?? "unknown"] ?? [];
    const offer = html`<span dir="auto">${note.offer}</span>`;
    return html` <button
      type="button"
      @click=${() => this.dispatchEvent(new CustomEvent("open-entry", { detail: entry.key, bubbles: true }))}
    >
      <span
        >${
          call === "redeem"
            ? around("today-redeem-row", { card: cardRef(String(note.ref)) })
            : around(note.isCredit ? "today-give-row" : "today-sell-row", { offer })
        }</span
      >
      <b class="num"><bdi>${money(Number(note.amount), String(note.currency))}</bdi></b>
      <span class="faint"
        ><time>${time(startedAt, { hour: "2-digit", minute: "2-digit" })}</time
        >${this.till?.isOurs(entry) ? "" : html` · <span dir="auto">${note.merchantName ?? t("today-earlier-version")}</span>`}</span
      >
      ${tone && id ? toneBadge(tone, t(id)) : nothing}
    </button>`;
  }
}

customElements.define("till-today", TodayView);
export { TodayView };
