// What happened to a card at this business, and whether it adds up to what the card network says is left.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { toneBadge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { capitalized, placeOf } from "../orders/order-timeline.js";
import { extend } from "../shell/more.js";
import { Resource } from "../shell/page.js";
import { empty, states } from "../shell/parts.js";
import { may, store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas["CardHistory"]} History */
/** @typedef {History["events"][number]} CardEvent */

const PAGE = 50;

export class CardHistory {
  code = "";

  /** @param {{requestUpdate(): void}} page */
  constructor(page) {
    this.page = page;
    this.history = new Resource(page, () => this.read(null));
  }

  /** @param {string} code */
  load(code) {
    if (code !== this.code) this.history.clear();
    this.code = code;
    return this.history.load();
  }

  /** @param {string | null} after */
  async read(after) {
    const params = { path: { qr: this.code }, query: { limit: PAGE, ...(after && { after }) } };
    return (await call(() => api.GET("/api/bff/cards/{qr}/history", { params }))).data;
  }

  /** Adds earlier events to what is shown. */
  more = once(() =>
    extend(this.history, async ({ events, nextCursor }) => {
      const page = await this.read(nextCursor);
      return { ...page, events: [...events, ...page.events] };
    }),
  );

  panel() {
    return html`<section class="panel">
      <header><h2>History</h2></header>
      ${states(this.history, { what: "The history", rows: 4, ready: (history) => this.events(history) })}
    </section>`;
  }

  /** @param {History} history */
  events(history) {
    const { events, nextCursor } = history;
    if (events.length === 0)
      return empty("Nothing is known", "No sale and no redemption at your business is recorded for this card.");
    return html`${sum(history)}
      <ol class="rows">
        ${events.map(eventRow)}
      </ol>
      ${nextCursor ? html`<nav class="pages" aria-label="Earlier events"><span></span><button class="button" type="button" @click=${() => this.more()}>Show earlier ones</button></nav>` : nothing}`;
  }
}

/** @param {History} history */
function sum({ addsUp, balance }) {
  const left = balance
    ? html`<b><bdi>${formatMinor(balance.remainingValueMinor, balance.currency)}</bdi></b> is left at the card network.`
    : "The card network cannot report the balance now.";
  return html`<div class="none adds-up">
    <p>${left}</p>
    <p>${addsUpBadge(addsUp)} <span class="muted">${ADDS_UP[String(addsUp)]}</span></p>
  </div>`;
}

/** @param {boolean | null} addsUp */
function addsUpBadge(addsUp) {
  if (addsUp === null) return toneBadge("neutral", "Not known");
  return addsUp ? toneBadge("ok", "Adds up") : toneBadge("bad", "Does not add up");
}

/** @type {Record<string, string>} */
const ADDS_UP = {
  true: "What was sold, minus what was redeemed, equals the balance.",
  false:
    "What was sold, minus what was redeemed, does not equal the balance. Contact the platform's support, and give the last characters of the code.",
  null: "The balance is not known, a redemption is open, or the card was sold elsewhere or before histories were kept.",
};

/** @type {Record<CardEvent["kind"], string>} */
const KINDS = {
  ISSUED: "Sold",
  REDEEMED: "Redeemed",
  GIVEN_BACK: "Issued for a return",
  UNKNOWN: "Not known yet whether it was redeemed",
};

/** @param {CardEvent} event */
function eventRow(event) {
  const { kind, at, amountMinor, currency, orderId, refundedMinor } = event;
  const name = KINDS[kind] ?? kind;
  const takes = kind === "REDEEMED" || kind === "UNKNOWN";
  return html`<li>
    <span class="two-lines grow">
      <b
        >${orderId && may("portal.orders") ? html`<a href=${`/orders/${encodeURIComponent(orderId)}`}>${name}</a>` : name}</b
      >
      <span class="small muted wrap" dir="auto">${capitalized(placeOf(event)) || "Place and person unknown"}</span>
      ${refundedMinor ? html`<span class="small"><bdi>${formatMinor(refundedMinor, currency)}</bdi> of it was given back</span>` : nothing}
    </span>
    <span class="amounts">
      <b><bdi>${formatMinor(takes ? -amountMinor : amountMinor, currency)}</bdi></b>
      <time class="small muted" datetime=${at}>${formatDateTime(at, store.timeZone)}</time>
    </span>
  </li>`;
}
