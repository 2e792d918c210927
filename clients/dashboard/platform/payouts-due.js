// Payouts due, for a platform administrator: one run makes a payout for each merchant and currency; a second person confirms it.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { icon } from "../shell/icons.js";
import { Page, Resource } from "../shell/page.js";
import { empty, head, rowButton, segmented, states } from "../shell/parts.js";
import { isMe, nameOf, peopleOf } from "./people.js";
import { markAsPaid, openFile } from "./payout-decisions.js";
import { settlementCount } from "../payouts/payout-state.js";
import { codedAmount, isPayable } from "./payout-words.js";
import { goWith } from "../shell/router.js";
import { payoutAddress } from "./settlement-holds.js";
import { loadSheet } from "../shell/styles.js";

/** @typedef {import("../shell/store.js").Schemas["Payout"]} Payout */
/** @typedef {import("./people.js").People} People */

const FILTERS = /** @type {const} */ ([
  ["IN_BATCH", "To pay"],
  ["PAID", "Paid"],
  ["all", "All"],
]);

class PayoutsDuePage extends Page {
  list = new Resource(this, async () => {
    const [cursor, runId] = [this.query.get("cursor"), this.query.get("run")];
    const status = this.filter === "all" ? undefined : this.filter;
    const query = { ...(status && { status }), ...(cursor && { cursor }), ...(runId && { runId }) };
    return (await call(() => api.GET("/api/admin/payouts", { params: { query } }))).data;
  });

  get filter() {
    return FILTERS.find(([status]) => status === this.query.get("status"))?.[0] ?? "IN_BATCH";
  }

  arrive() {
    this.list.load();
  }

  render() {
    const start = html`<a class="button primary" href="/payouts-due/run">Start a run</a>`;
    const ofRun = this.query.get("run");
    return html`${head("Payouts due", "One administrator collects what is payable, another one pays and confirms it", start)}
      <p class="bar spaced">
        ${segmented("Status", FILTERS, this.filter, (status) => goWith({ status, cursor: null }))}
        ${ofRun ? html`<button class="button" type="button" @click=${() => goWith({ run: null, cursor: null })}>Of one run: show all</button>` : nothing}
      </p>
      <section class="panel">
        ${states(this.list, { what: "Payouts", rows: 5, ready: (page) => this.rows(page) })}
      </section>`;
  }

  /** @param {{payouts: Payout[], next: string | null, people: import("./people.js").Person[]}} page */
  rows({ payouts, next, people }) {
    const known = peopleOf(people);
    return html`${
      payouts.length === 0
        ? this.none()
        : html`<ul class="rows">
            ${payouts.map((payout) => this.row(payout, known))}
          </ul>`
    }${next ? this.older(next) : nothing}`;
  }

  none() {
    if (this.query.get("cursor")) return empty("No more payouts", "This page is beyond the last one.");
    return this.filter === "IN_BATCH"
      ? empty("Nothing to pay", "Start a run to collect what is payable.")
      : empty("No payouts", "What a run collects appears here.");
  }

  /** @param {string} next */
  older(next) {
    const query = new URLSearchParams(this.query);
    query.set("cursor", next);
    return html`<nav class="pages" aria-label="Pages of payouts">
      <span></span><a class="button" href=${`/payouts-due?${query}`}>Older${icon("next", { mirror: true })}</a>
    </nav>`;
  }

  /** @param {Payout} payout @param {People} people */
  row(payout, people) {
    const { id, merchantId, merchantName, status, count, createdAt, reference } = payout;
    const amount = status === "BUILDING" ? "Being added up" : codedAmount(payout);
    const facts = [formatDateTime(createdAt), count === null ? "" : settlementCount(count), reference];
    return html`<li>
      <span class="two-lines grow">
        <a class="wrap" dir="auto" href=${payoutAddress(id)}>${merchantName || merchantId}</a>
        <span class="small muted wrap">${apart(facts)}</span>
        ${steps(payout, people)}
      </span>
      <b class="num"><bdi>${amount}</bdi></b
      >${badge(status, "settlement")} ${status === "IN_BATCH" ? this.actions(payout) : nothing}
    </li>`;
  }

  /** @param {Payout} payout */
  actions(payout) {
    const pay = async () => {
      await markAsPaid(payout);
      this.list.load();
    };
    const whose = payout.merchantName || payout.merchantId;
    return html`<span class="actions">
      ${rowButton({ word: "File", label: `File of ${whose}`, act: () => openFile(payout) })}
      ${isMe(payout.createdBy) || !isPayable(payout) ? nothing : rowButton({ word: "Mark as paid", label: `Mark as paid: ${whose}`, act: pay })}
    </span>`;
  }
}

/** @param {(string | null)[]} texts */
function apart(texts) {
  return texts.filter(Boolean).map((text, i) => html`${i > 0 ? " · " : ""}<bdi>${text}</bdi>`);
}

/** The two steps, by two persons: who has done which, and whose is next. @param {Payout} payout @param {People} people */
function steps({ status, createdBy, closedBy }, people) {
  const decided = status.startsWith("CANCEL") ? "Cancelled" : "Confirmed";
  const next = isMe(createdBy) ? "Another administrator confirms it" : "Yours to pay and confirm";
  const second = closedBy ? `${decided} by ${uncapitalized(nameOf(closedBy, people))}` : next;
  return html`<span class="two-steps small">
    ${step(true, `1. Collected by ${uncapitalized(nameOf(createdBy, people))}`)}
    ${closedBy || status === "IN_BATCH" ? step(Boolean(closedBy), `2. ${second}`) : nothing}
  </span>`;
}

/** @param {boolean} done @param {string} text */
const step = (done, text) =>
  html`<span class=${done ? "done" : ""}
    >${icon(done ? "done" : "open")}<span class="sr">${done ? "Done: " : "To do: "}</span><bdi>${text}</bdi></span
  >`;

/** Names stay as they are. @param {string} name */
const uncapitalized = (name) => (name === "You" || name === "Another administrator" ? name.toLowerCase() : name);

await loadSheet("/desk.css");
customElements.define("payouts-due-page", PayoutsDuePage);
