// A payout run, for a platform administrator: what it would make and leave out, its start, and what became of it.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { isUnknown } from "../shell/change.js";
import { creator } from "../shell/creator.js";
import { refusal, toast } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { leftOutPanel } from "./left-out.js";
import { Page, Resource } from "../shell/page.js";
import { empty, formatCount, head, states } from "../shell/parts.js";
import { nameOf, peopleOf } from "./people.js";
import { settlementCount } from "../payouts/payout-state.js";
import { readPreview } from "./payout-preview.js";
import { codedAmount, totals } from "./payout-words.js";
import { go } from "../shell/router.js";
import { loadSheet } from "../shell/styles.js";
import "./merchant-search.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {import("./payout-preview.js").Preview} Preview */
/** @typedef {Schemas["PayoutRunProgress"]} Run */

const POLL_MS = 1000;

class PayoutRunPage extends Page {
  /** @type {Schemas["MerchantEntry"] | null} */
  merchant = null;
  currency = "";
  /** The currencies of the preview of all. @type {string[]} */
  currencies = [];
  preview = new Resource(this, () => this.readPreview());
  run = new Resource(this, () => this.readRun());
  busy = false;
  /** @type {unknown} */
  problem = null;
  /** Sent twice, it is one run. */
  create = creator();

  get runId() {
    return this.query.get("run");
  }

  arrive() {
    this.run.clear();
    if (this.runId) this.follow();
    else this.preview.load();
  }

  /** What is chosen, as the API takes it. */
  scope() {
    return {
      ...(this.merchant && { merchantId: this.merchant.id }),
      ...(this.currency && { currency: this.currency }),
    };
  }

  /** @returns {Promise<Preview>} */
  async readPreview() {
    const all = await readPreview(this.scope());
    if (!this.merchant && !this.currency)
      this.currencies = [...new Set([...all.payouts, ...all.leftOut].map((one) => one.currency))].toSorted();
    return all;
  }

  /** @returns {Promise<Run>} */
  async readRun() {
    const params = { path: { runId: this.runId ?? "" } };
    return (await call(() => api.GET("/api/admin/payouts/runs/{runId}", { params }))).data;
  }

  async follow() {
    await this.run.load();
    while (this.isConnected && this.runId && this.run.data?.status === "RUNNING") {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      await this.run.load();
    }
  }

  render() {
    return html`<p class="trail"><a href="/payouts-due">${icon("back", { mirror: true })}Payouts due</a></p>
      ${this.runId ? this.progress() : this.beginning()}`;
  }

  beginning() {
    return html`${head("New payout run", "Look at who is paid and who is left out, then start it")}
      <section class="panel">
        <div class="form">
          <div class="two">
            <merchant-search
              @chosen=${(/** @type {CustomEvent} */ event) => this.narrow({ merchant: event.detail })}
            ></merchant-search>
            ${this.currencyField()}
          </div>
        </div>
      </section>
      ${states(this.preview, { what: "The preview", rows: 4, ready: (preview) => this.previewed(preview) })}`;
  }

  currencyField() {
    return html`<div class="field">
      <label for="currency">Currency</label>
      <select
        class="input"
        id="currency"
        @change=${(/** @type {Event} */ event) => this.narrow({ currency: /** @type {HTMLSelectElement} */ (event.target).value })}
      >
        <option value="">All currencies</option>
        ${this.currencies.map((code) => html`<option value=${code} ?selected=${code === this.currency}>${code}</option>`)}
      </select>
    </div>`;
  }

  /** @param {{merchant?: Schemas["MerchantEntry"] | null, currency?: string}} scope */
  narrow(scope) {
    Object.assign(this, scope);
    this.create = creator(); // another run
    this.problem = null;
    this.preview.load();
  }

  /** A run in doubt may have collected all: it is repeated with nothing left to pay. @param {Preview} preview */
  previewed({ payouts, leftOut, next }) {
    return html`<section class="panel">
        <header>
          <h2>Would be paid</h2>
          ${payouts.length > 0 || this.busy || isUnknown(this.problem) ? this.startButton() : nothing}
        </header>
        ${this.problem ? refusal(this.problem, "The run was not started.") : nothing}
        ${
          payouts.length === 0
            ? empty("Nothing to pay", "No settlement is payable by now.")
            : html`<p class="none muted">${summary(payouts)}</p>
                <ul class="rows">
                  ${payouts.map(payable)}
                </ul>`
        }
        ${next ? html`<p class="none muted">There are more merchants than are shown. A run includes them all.</p>` : nothing}
      </section>
      ${leftOutPanel(leftOut, "Left out")}`;
  }

  startButton() {
    const busy = this.busy ? "true" : "false";
    return html`<button class="button primary" type="button" aria-busy=${busy} @click=${this.start}>
      Start the run
    </button>`;
  }

  start = once(async () => {
    this.busy = true;
    this.problem = null;
    this.requestUpdate();
    try {
      const { data } = await this.create((params) => api.POST("/api/admin/payouts", { params, body: this.scope() }));
      toast("The run has started.");
      if (this.isConnected) go(`/payouts-due/run?run=${encodeURIComponent(data.runId)}`);
    } catch (problem) {
      this.problem = problem;
    }
    this.busy = false;
    this.requestUpdate();
  });

  progress() {
    return html`${head("Payout run", "First one person collects, then another one pays and confirms")}
    ${states(this.run, { what: "The run", rows: 3, ready: (run) => this.result(run) })}`;
  }

  /** @param {Run} run */
  result(run) {
    const isDone = run.status === "DONE";
    const address = `/payouts-due?run=${encodeURIComponent(run.runId)}&status=all`;
    return html`<section class="panel">
        <ol class="timeline short">
          <li class=${isDone ? "past" : "now"} aria-current=${isDone ? nothing : "step"}>
            ${icon(isDone ? "done" : "info")}
            <div role="status">
              <b>${isDone ? "Collected" : "Being collected"}</b>
              <p>
                ${nameOf(run.createdBy, peopleOf(run.people))}, ${formatDateTime(run.createdAt)}. ${made(run.payouts)}
              </p>
            </div>
          </li>
          <li class=${isDone && run.payouts > 0 ? "now" : ""}>
            ${icon("info")}
            <div>
              <b>Paid and confirmed by another administrator</b>
              <p>One person starts a run, a second one marks each payout as paid.</p>
              ${run.payouts > 0 ? html`<p><a href=${address}>Payouts of this run</a></p>` : nothing}
            </div>
          </li>
        </ol>
      </section>
      ${leftOutPanel(run.leftOut, isDone ? "Left out" : "Left out so far")}`;
  }
}

/** @param {number} payouts */
function made(payouts) {
  return payouts === 0 ? "No payout so far." : `${formatCount(payouts)} ${payouts === 1 ? "payout" : "payouts"}.`;
}

/** @param {Preview["payouts"]} payouts */
function summary(payouts) {
  const merchants = new Set(payouts.map(({ merchantId }) => merchantId)).size;
  return `${formatCount(merchants)} ${merchants === 1 ? "merchant" : "merchants"}, together ${totals(payouts).join(" and ")}.`;
}

/** @param {Preview["payouts"][number]} payout */
function payable(payout) {
  return html`<li>
    <a class="grow wrap" dir="auto" href=${`/merchants/${encodeURIComponent(payout.merchantId)}`}
      >${payout.merchantName}</a
    >
    <span class="amounts">
      <b><bdi>${codedAmount(payout)}</bdi></b
      ><span class="small muted">${settlementCount(payout.count)}</span>
    </span>
  </li>`;
}

await loadSheet("/desk.css");
customElements.define("payout-run-page", PayoutRunPage);
