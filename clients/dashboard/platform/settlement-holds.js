// Settlements for a platform administrator: each can be held back from payouts, with the reason, and released.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { change } from "../shell/change.js";
import { extend } from "../shell/more.js";
import { Resource } from "../shell/page.js";
import { empty, rowButton, segmented, states } from "../shell/parts.js";
import { askWithReason } from "../forms/reason-dialog.js";

/** @typedef {import("../shell/store.js").Schemas["AdministeredSettlement"]} Settlement */
/** @typedef {{merchantId?: string, payoutId?: string}} Filter */

const PAGE = 10;

/** @type {Record<NonNullable<Settlement["heldBecause"]>, string>} */
const HELD_BECAUSE = {
  OWN_SALE: "The merchant sold the card at its own till and already has the money.",
  DISAGREEMENT: "The card network's reply did not match the request: it is not certain what was redeemed.",
  RESTORED: "It may have been paid before the data was restored.",
  ADMINISTRATOR: "An administrator holds it back.",
};

/** @type {readonly (readonly ["all" | "held", string])[]} */
const VIEWS = [
  ["all", "All"],
  ["held", "Held back"],
];

export class SettlementList {
  /** @type {"all" | "held"} */
  view = "all";

  /**
   * @param {{requestUpdate(): void}} page
   * @param {() => Filter} filter
   * @param {(settlement: Settlement) => unknown} [actions] beside a settlement that is in a payout
   */
  constructor(page, filter, actions = linkToPayout) {
    this.page = page;
    this.filter = filter;
    this.actions = actions;
    this.list = new Resource(page, () => this.read(null));
  }

  load() {
    return this.list.load();
  }

  /** @param {string | null} cursor */
  async read(cursor) {
    const query = { ...this.filter(), ...(this.view === "held" && { held: true }), ...(cursor && { cursor }) };
    const answer = await call(() =>
      api.GET("/api/admin/settlements", { params: { query: { limit: PAGE, ...query } } }),
    );
    return answer.data;
  }

  /** Adds the next page to what is shown. */
  more = once(() =>
    extend(this.list, async ({ settlements, next }) => {
      const page = await this.read(next);
      return { ...page, settlements: [...settlements, ...page.settlements] };
    }),
  );

  panel() {
    return html`<section class="panel">
      <header>
        <h2>Settlements</h2>
        ${segmented("Shown settlements", VIEWS, this.view, (view) => {
          this.view = view;
          this.load();
        })}
      </header>
      ${states(this.list, { what: "Settlements", rows: 4, ready: (page) => this.rows(page) })}
    </section>`;
  }

  /** @param {{settlements: Settlement[], next: string | null}} page */
  rows({ settlements, next }) {
    if (settlements.length === 0 && !next)
      return this.view === "held"
        ? empty("Nothing is held back", "What is held back from payouts appears here.")
        : empty("No settlements", "What is owed for sales and redemptions appears here.");
    return html`<ul class="rows">
        ${settlements.map((settlement) => this.row(settlement))}
      </ul>
      ${next ? html`<nav class="pages" aria-label="More settlements"><span></span><button class="button" type="button" @click=${() => this.more()}>Show more</button></nav>` : nothing}`;
  }

  /** @param {Settlement} settlement */
  row(settlement) {
    const { held, status, heldBecause, heldReason } = settlement;
    const isSaid = this.filter().payoutId !== undefined && status !== "PENDING"; // by the page of the payout
    return html`<li>
      <span class="two-lines grow">
        <span
          >${settlement.sourceType === "ORDER" ? "Sale" : "Redemption"}, payable from
          ${formatDate(settlement.eligibleAt)} ${isSaid ? nothing : badge(status, "settlement")}</span
        >
        <span class="small mono muted wrap">${settlement.id}</span>
        ${held ? html`<span class="small warn tone">Held back. ${heldBecause ? HELD_BECAUSE[heldBecause] : ""}</span>` : nothing}
        ${heldReason ? html`<q class="small wrap" dir="auto">${heldReason}</q>` : nothing}
      </span>
      <b class="num"><bdi>${amountOf(settlement)}</bdi></b>
      <span class="actions alike">
        ${status === "PENDING" ? this.holdButton(settlement) : status === "IN_BATCH" ? this.actions(settlement) : nothing}
      </span>
    </li>`;
  }

  /** @param {Settlement} settlement */
  holdButton(settlement) {
    const verb = settlement.held ? "Release" : "Hold back";
    const label = `${verb}: ${amountOf(settlement)}`;
    const act = () => this.change(settlement, verb);
    if (!settlement.held) return rowButton({ word: verb, label, act });
    return html`<button class="button quiet" type="button" aria-label=${label} @click=${act}>${verb}</button>`;
  }

  /** @param {Settlement} settlement @param {"Release" | "Hold back"} verb */
  async change(settlement, verb) {
    const held = verb === "Hold back";
    const done = await askWithReason({
      title: `${verb}: ${amountOf(settlement)}`,
      verb,
      failed: held ? "It is not held back." : "It was not released.",
      done: held ? "The settlement is held back." : "The settlement is released.",
      tone: held ? "primary" : "danger",
      intro: held
        ? html`<p class="muted">Payouts leave it out until somebody releases it.</p>`
        : releaseNote(settlement),
      act: (_, reason) => hold(settlement, held, reason),
    });
    if (done) await this.load();
  }
}

/** Why it is held back, and what a release pays. @param {Settlement} settlement */
function releaseNote(settlement) {
  const { heldBecause, heldReason } = settlement;
  return html`<div class="notice warn">
    <div>
      <b>${heldBecause ? HELD_BECAUSE[heldBecause] : "It is held back."}</b>
      ${heldReason ? html`<q class="wrap" dir="auto">${heldReason}</q>` : nothing}
      <p>
        The next run pays <b><bdi>${amountOf(settlement)}</bdi></b> for it.
      </p>
    </div>
  </div>`;
}

/** @param {Pick<Settlement, "merchantId" | "id">} settlement @param {boolean} held @param {string} reason */
export function hold({ merchantId, id }, held, reason) {
  const params = { path: { merchantId, id } };
  return change(() => api.PATCH("/api/admin/settlements/{merchantId}/{id}", { params, body: { held, reason } }));
}

/** @param {Settlement} settlement */
export function amountOf({ netAmountMinor, currency }) {
  return formatMinor(netAmountMinor, currency, { code: true });
}

/** @param {Settlement} settlement */
function linkToPayout({ payoutBatchId }) {
  if (!payoutBatchId) return nothing;
  return html`<a class="button" href=${payoutAddress(payoutBatchId)}>Its payout</a>`;
}

/** @param {string} id */
export const payoutAddress = (id) => `/payouts-due/${encodeURIComponent(id)}`;
