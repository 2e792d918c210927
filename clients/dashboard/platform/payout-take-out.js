// Takes a disputed settlement out of a payout that is put together already: the payout is cancelled, the settlement is held
// back, and another run collects the rest. Each step is shown; what failed is tried again from there.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { api, call, Problem } from "../shell/api.js";
import { change, Doubt, lookAgain } from "../shell/change.js";
import { maxLength } from "../forms/bounds.js";
import { dialog } from "../forms/dialogs.js";
import { field, focusError, lackingIn, refusal, valuesOf, withErrors } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { LEFT_OUT } from "./payout-words.js";
import { decidePayout } from "./payout-decisions.js";
import { amountOf, hold } from "./settlement-holds.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["Payout"]} Payout */
/** @typedef {Schemas["AdministeredSettlement"]} Settlement */

const STEPS = /** @type {const} */ ([
  ["cancel", "The payout is cancelled"],
  ["hold", "The settlement is held back"],
  ["run", "Another run collects the rest"],
]);
const POLL_MS = 1000;
/** Cancelling a large payout takes a while. */
const PATIENCE_MS = 10 * 60_000;

/** @param {Payout} payout @param {Settlement} settlement @returns {Promise<string | undefined>} the run that was started */
export function takeOut(payout, settlement) {
  const flow = new TakeOut(payout, settlement);
  return dialog(`Take ${amountOf(settlement)} out of the payout`, (/** @type {(run?: string) => void} */ close, draw) =>
    flow.view(close, draw),
  );
}

class TakeOut {
  done = 0;
  busy = false;
  reason = "";
  /** @type {unknown} */
  problem = null;
  doubt = new Doubt();
  /** @type {Record<string, string>} */
  errors = {};
  /** Sent twice, it is one run. */
  key = crypto.randomUUID();
  runId = "";
  outcome = "";

  /** @param {Payout} payout @param {Settlement} settlement */
  constructor(payout, settlement) {
    this.payout = payout;
    this.settlement = settlement;
  }

  go = once(async (/** @type {() => void} */ draw) => {
    this.busy = true;
    this.problem = null;
    draw();
    const steps = [() => this.cancel(), () => this.holdBack(), () => this.collect()];
    try {
      for (const step of steps.slice(this.done)) {
        await step();
        this.done++;
        this.doubt.end();
        draw();
      }
    } catch (problem) {
      this.problem = this.doubt.about(problem);
    }
    this.busy = false;
    draw();
  });

  cancel() {
    return decidePayout(this.payout, { status: "CANCELLED", reason: this.reason });
  }

  /** The settlement leaves the payout some time after the decision. */
  holdBack() {
    return untilDone(async () => {
      try {
        return await hold(this.settlement, true, this.reason);
      } catch (problem) {
        if (problem instanceof Problem && problem.code === "IN_BATCH") return null;
        throw problem;
      }
    });
  }

  async collect() {
    const { merchantId, currency } = this.payout;
    const params = { header: { "Idempotency-Key": this.key } };
    const { data } = await change(() => api.POST("/api/admin/payouts", { params, body: { merchantId, currency } }));
    this.runId = data.runId;
    const path = { runId: data.runId };
    const run = await untilDone(async () => {
      const look = () => api.GET("/api/admin/payouts/runs/{runId}", { params: { path } });
      const answer = await call(look).catch(lookAgain);
      return answer?.data.status === "DONE" ? answer.data : null;
    });
    this.outcome = outcomeOf(run);
  }

  /** @param {(run?: string) => void} close @param {() => void} draw */
  view(close, draw) {
    const isOver = this.done === STEPS.length;
    return html`<form
      novalidate
      @submit=${(/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const form = /** @type {HTMLFormElement} */ (event.target);
        this.errors = lackingIn(form);
        if (Object.keys(this.errors).length > 0) {
          focusError(form);
          return draw();
        }
        this.reason ||= valuesOf(form).reason ?? "";
        this.go(draw);
      }}
    >
      ${this.steps()}
      ${this.done === 0 && !this.busy ? withErrors(this.errors, reasonField) : nothing}${refusal(this.problem, "This step was not done.")}
      ${isOver ? html`<p role="status"><b>${this.outcome}</b></p>` : nothing}
      <footer>
        <button class="button" type="button" @click=${() => close(this.runId || undefined)}>
          ${this.done === 0 && !this.problem ? "Keep it in" : "Close"}
        </button>
        ${isOver ? nothing : this.button()}
      </footer>
    </form>`;
  }

  button() {
    const word = this.done > 0 || this.problem ? "Go on" : "Take it out";
    return html`<button class="button primary" aria-busy=${this.busy ? "true" : "false"}>${word}</button>`;
  }

  steps() {
    return html`<ol class="timeline flush short">
      ${STEPS.map(([name, words], i) => {
        const isNow = this.busy && i === this.done;
        return html`<li class=${i < this.done ? "past" : isNow ? "now" : ""} aria-current=${isNow ? "step" : nothing}>
          ${icon(i < this.done ? "done" : "info")}
          <div>
            ${words}${i < this.done ? html`<span class="sr"> (done)</span>` : nothing}
            ${name === "hold" ? html`<p class="small">Payouts leave it out until somebody releases it.</p>` : nothing}
          </div>
        </li>`;
      })}
    </ol>`;
  }
}

/** @template T @param {() => Promise<T | null>} attempt @returns {Promise<T>} */
async function untilDone(attempt) {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    const result = await attempt();
    if (result !== null) return result;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Problem(503, null, null, "It is taking longer than usual. Continue in a moment.");
}

/** @param {Schemas["PayoutRunProgress"]} run */
function outcomeOf({ payouts, leftOut }) {
  if (payouts > 0) return "There is a new payout without it.";
  const reason = leftOut[0] && LEFT_OUT[leftOut[0].reason]?.[0];
  return `There is no new payout. ${reason ? `${reason}.` : "Nothing else is payable."}`;
}

function reasonField() {
  const hint = "It stays in the history of the payout and of the settlement.";
  const maxlength = maxLength.holdSettlement.reason;
  return field({ name: "reason", label: "Reason", rows: 2, required: true, maxlength, hint });
}
