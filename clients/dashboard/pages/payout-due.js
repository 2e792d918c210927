// One payout, for a platform administrator: its two persons, its settlements, and what can be done with it.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../api.js";
import { icon } from "../icons.js";
import { Page, Resource } from "../page.js";
import { bars, empty, states } from "../parts.js";
import { isMe, nameOf, peopleOf } from "../people.js";
import { cancelPayout, markAsPaid, openFile } from "../payout-decisions.js";
import { takeOut } from "../payout-take-out.js";
import { codedAmount, isPayable, settlementCount } from "../payout-words.js";
import { go } from "../router.js";
import { SettlementList } from "../settlement-holds.js";
import { loadSheet } from "../styles.js";

/** @typedef {import("../store.js").Schemas["Payout"]} Payout */
/** @typedef {import("../people.js").People} People */

const PAGE = 200;
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

  arrive() {
    this.follow();
    this.settlements.load();
  }

  /** The API has no address for one payout: it is looked for among those of its merchant. @returns {Promise<Payout | null>} */
  async find() {
    const id = this.params.id ?? "";
    const merchantId = this.query.get("merchant");
    for (let cursor = null; ;) {
      const query = { limit: PAGE, ...(merchantId && { merchantId }), ...(cursor && { cursor }) };
      /** @type {import("../store.js").Schemas["PayoutPage"]} */
      const data = (await call(() => api.GET("/api/admin/payouts", { params: { query } }))).data;
      this.people = peopleOf(/** @type {{people?: import("../people.js").Person[]}} */ (data).people);
      const found = data.payouts.find((payout) => payout.id === id);
      if (found || !data.next) return found ?? null;
      cursor = data.next;
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
          ${collected(payout, this.people)}${confirmed(payout, this.people)}
        </ol>
      </section>
      ${this.settlements.panel()}`;
  }

  /** @param {Payout} payout */
  actions(payout) {
    // Some deployments let one person do both, so that whoever started it is refused by the API alone.
    const look = isMe(payout.createdBy) ? "" : "primary";
    return html`<button class="button" type="button" @click=${() => openFile(payout)}>File</button>
      <button class="button" type="button" @click=${() => this.decide(cancelPayout(payout))}>Cancel the payout</button>
      <button class="button ${look}" type="button" @click=${() => this.decide(markAsPaid(payout))}>
        Mark as paid
      </button>`;
  }

  /** @param {Promise<boolean>} decided */
  async decide(decided) {
    if (await decided) await this.follow();
    this.settlements.load();
  }

  /** @param {import("../settlement-holds.js").Settlement} settlement */
  takeOutButton(settlement) {
    const payout = this.payout.data;
    if (payout?.status !== "IN_BATCH") return nothing;
    const act = async () => {
      const run = await takeOut(payout, settlement);
      if (run) go(`/payouts-due/run?run=${encodeURIComponent(run)}`);
      else this.arrive();
    };
    return html`<button class="button" type="button" @click=${act}>Take out</button>`;
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

/** @param {Payout} payout @param {People} people */
function confirmed(payout, people) {
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
    <div><b>Paid and confirmed by another administrator</b>${nextStep(payout)}</div>
  </li>`;
}

/** @param {Payout} payout */
function nextStep(payout) {
  const { status, createdBy, id } = payout;
  if (status !== "IN_BATCH") return nothing;
  if (!isPayable(payout)) return html`<p>It cannot be paid while the merchant is neither active nor closed.</p>`;
  if (isMe(createdBy)) return html`<p>You started it. Ask another administrator to pay and confirm it.</p>`;
  return html`<p>
    Send the money with <span class="mono wrap">${id}</span> as its end-to-end id, then mark the payout as paid with the
    bank's reference.
  </p>`;
}

await loadSheet("/desk.css");
customElements.define("payout-due-page", PayoutDuePage);
