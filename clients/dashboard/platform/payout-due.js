// One payout, for a platform administrator: its two persons, its settlements, and what can be done with it.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatDateTime } from "/kit/time.js";
import { api, call, Problem } from "../shell/api.js";
import { icon } from "../shell/icons.js";
import { Page, Resource } from "../shell/page.js";
import { bars, empty, rowButton, states } from "../shell/parts.js";
import { isMe, nameOf, peopleOf } from "./people.js";
import { cancelPayout, markAsPaid, openFile } from "./payout-decisions.js";
import { takeOut } from "./payout-take-out.js";
import { settlementCount } from "../payouts/payout-state.js";
import { codedAmount, isPayable } from "./payout-words.js";
import { go } from "../shell/router.js";
import { amountOf, SettlementList } from "./settlement-holds.js";
import { loadSheet } from "../shell/styles.js";

/** @typedef {import("../shell/store.js").Schemas["Payout"]} Payout */
/** @typedef {import("./people.js").People} People */

const POLL_MS = 1000;
/** A payout of these is about to become another. */
const PASSING = new Set(["BUILDING", "PAYING", "CANCELLING"]);

class PayoutDuePage extends Page {
  payout = new Resource(this, () => this.find());
  settlements = new SettlementList(
    this,
    () => ({ payoutId: this.params.id ?? "" }),
    (settlement) => this.takeOutButton(settlement),
  );
  /** @type {People} */
  people = new Map();
  needsSecondPerson = true;

  arrive() {
    this.follow();
    this.settlements.load();
  }

  /** @returns {Promise<Payout | null>} */
  async find() {
    const path = { id: this.params.id ?? "" };
    try {
      const { data } = await call(() => api.GET("/api/admin/payouts/{id}", { params: { path } }));
      this.people = peopleOf(data.people);
      this.needsSecondPerson = data.needsSecondPerson;
      return data.payout;
    } catch (problem) {
      if (problem instanceof Problem && problem.status === 404) return null;
      throw problem;
    }
  }

  async follow() {
    await this.payout.load();
    while (this.isConnected && PASSING.has(this.payout.data?.status ?? "")) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      await this.payout.load();
      if (!PASSING.has(this.payout.data?.status ?? "")) this.settlements.load();
    }
  }

  render() {
    return html`<p class="trail"><a href="/payouts-due">${icon("back", { mirror: true })}Payouts due</a></p>
      ${states(this.payout, {
        what: "The payout",
        skeleton: bars(6),
        ready: (payout) => (payout ? this.detail(payout) : missing()),
      })}`;
  }

  /** @param {Payout} payout */
  detail(payout) {
    const isOpen = payout.status === "IN_BATCH";
    const next = { by: this.needsSecondPerson ? " by another administrator" : "", step: this.nextStep(payout) };
    return html`<header class="page-head">
        <div>
          <h1 tabindex="-1"><bdi>${payout.status === "BUILDING" ? "Being added up" : codedAmount(payout)}</bdi></h1>
          <p class="muted">
            ${badge(payout.status, "settlement")}
            <a dir="auto" href=${`/merchants/${encodeURIComponent(payout.merchantId)}`}
              >${payout.merchantName || payout.merchantId}</a
            >
            <span class="mono wrap">${payout.id}</span>
          </p>
        </div>
        <div class="actions">${isOpen ? this.actions(payout) : nothing}</div>
      </header>
      <section class="panel">
        <ol class="timeline short">
          ${collected(payout, this.people)}${confirmed(payout, this.people, next)}
        </ol>
      </section>
      ${this.settlements.panel()}`;
  }

  /** @param {Payout} payout */
  actions(payout) {
    const pay = html`<button class="button primary" type="button" @click=${() => this.decide(markAsPaid(payout))}>
      Mark as paid
    </button>`;
    return html`<button class="button" type="button" @click=${() => openFile(payout)}>File</button>
      <button class="button" type="button" @click=${() => this.decide(cancelPayout(payout))}>Cancel the payout</button>
      ${this.isMine(payout) ? pay : nothing}`;
  }

  /** @param {Payout} payout */
  nextStep(payout) {
    const { status, id } = payout;
    if (status !== "IN_BATCH") return nothing;
    if (!isPayable(payout)) return html`<p>It cannot be paid while the merchant is neither active nor closed.</p>`;
    if (!this.isMine(payout)) return html`<p>You started it. Ask another administrator to pay and confirm it.</p>`;
    return html`<p>
      Send the money with <span class="mono wrap">${id}</span> as its end-to-end id, then mark the payout as paid with
      the bank's reference.
    </p>`;
  }

  /** Whether it is for this administrator to confirm the payment. @param {Payout} payout */
  isMine(payout) {
    return !this.needsSecondPerson || !isMe(payout.createdBy);
  }

  /** @param {Promise<boolean>} decided */
  async decide(decided) {
    await decided;
    await this.follow(); // it may be decided without an answer
    this.settlements.load();
  }

  /** @param {import("./settlement-holds.js").Settlement} settlement */
  takeOutButton(settlement) {
    const payout = this.payout.data;
    if (payout?.status !== "IN_BATCH") return nothing;
    const act = async () => {
      const run = await takeOut(payout, settlement);
      if (run) go(`/payouts-due/run?run=${encodeURIComponent(run)}`);
      else this.arrive();
    };
    return rowButton({ word: "Take out", label: `Take out: ${amountOf(settlement)}`, act });
  }
}

function missing() {
  const all = html`<a class="button" href="/payouts-due?status=all">All payouts</a>`;
  return html`<h1 tabindex="-1" class="sr">No such payout</h1>
    ${empty("There is no such payout", "Look for it among the others.", all)}`;
}

/** @param {Payout} payout @param {People} people */
function collected({ status, createdBy, createdAt, count }, people) {
  const isNow = status === "BUILDING";
  return html`<li class=${isNow ? "now" : "past"} aria-current=${isNow ? "step" : nothing}>
    ${icon(isNow ? "info" : "done")}
    <div>
      <b>${isNow ? "Being collected" : "Collected"}</b>
      <p>
        <span dir="auto">${nameOf(createdBy, people)}</span>,
        ${formatDateTime(createdAt)}${isNow ? "" : `, ${settlementCount(count)}`}
      </p>
    </div>
  </li>`;
}

/** @param {Payout} payout @param {People} people @param {{by: string, step: unknown}} next */
function confirmed(payout, people, { by, step }) {
  const { status, closedBy, closedAt, reference } = payout;
  if (status === "PAID" || status === "PAYING" || status === "CANCELLED" || status === "CANCELLING") {
    const isPaid = status.startsWith("PA");
    return html`<li class="past">
      ${icon(isPaid ? "done" : "close")}
      <div>
        <b>${isPaid ? "Paid and confirmed" : "Cancelled"}</b>
        <p>
          ${closedBy ? html`<span dir="auto">${nameOf(closedBy, people)}</span>` : "There was nothing to pay"}${closedAt ? `, ${formatDateTime(closedAt)}` : ""}
        </p>
        ${reference ? html`<p>Reference <span class="mono">${reference}</span></p>` : nothing}
      </div>
    </li>`;
  }
  return html`<li class=${status === "IN_BATCH" ? "now" : ""}>
    ${icon("info")}
    <div><b>Paid and confirmed${by}</b>${step}</div>
  </li>`;
}

await loadSheet("/desk.css");
customElements.define("payout-due-page", PayoutDuePage);
