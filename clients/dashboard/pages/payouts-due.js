// Payouts due, for a platform administrator: one run makes a payout for each merchant and currency; a second person confirms it.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../api.js";
import { icon } from "../icons.js";
import { Page, Resource } from "../page.js";
import { dialog, field, refusal, toast, valuesOf } from "../forms.js";
import { empty, formatCount, head, segmented, states } from "../parts.js";
import { goWith } from "../router.js";
import { maxLength } from "../bounds.js";

/** @typedef {import("../store.js").Schemas} Schemas */
/** @typedef {Schemas["Payout"]} Payout */

const FILTERS = /** @type {const} */ ([
  ["IN_BATCH", "To pay"],
  ["PAID", "Paid"],
  ["all", "All"],
]);

class PayoutsDuePage extends Page {
  list = new Resource(this, async () => {
    const status = this.filter === "all" ? undefined : this.filter;
    const cursor = this.query.get("cursor");
    const [page] = await Promise.all([
      call(() =>
        api.GET("/api/admin/payouts", { params: { query: { ...(status && { status }), ...(cursor && { cursor }) } } }),
      ),
      this.loadNames(),
    ]);
    return page.data;
  });
  /** Names of merchants by their ids; of merchants beyond the first 200, the id is shown. @type {Map<string, string> | null} */
  names = null;
  /** A run's key is kept until it was accepted: sent twice, it is one run. @type {string | null} */
  key = null;

  get filter() {
    return FILTERS.find(([status]) => status === this.query.get("status"))?.[0] ?? "IN_BATCH";
  }

  arrive() {
    this.list.load();
  }

  async loadNames() {
    if (this.names) return;
    const list = await call(() => api.GET("/api/admin/merchants", { params: { query: { limit: 200 } } })).catch(
      () => null,
    );
    this.names = new Map(list?.data.merchants.map(({ id, name }) => [id, name]));
  }

  render() {
    return html`${head("Payouts due", "A run collects what is payable; another administrator confirms each payment", html`<button class="button primary" type="button" @click=${this.start}>Start a run</button>`)}
      <p class="bar spaced">
        ${segmented("Status", FILTERS, this.filter, (status) => goWith({ status, cursor: null }))}
      </p>
      <section class="panel">
        ${states(this.list, {
          what: "Payouts",
          rows: 5,
          ready: ({ payouts, next }) =>
            html`${
              payouts.length === 0
                ? empty(
                    this.filter === "IN_BATCH" ? "Nothing to pay" : "No payouts",
                    "Start a run to collect what is payable.",
                  )
                : html`<ul class="rows">
                    ${payouts.map((payout) => this.payout(payout))}
                  </ul>`
            }
            ${next ? html`<nav class="pages" aria-label="Pages of payouts"><span></span><a class="button" href=${`/payouts-due?status=${this.filter}&cursor=${encodeURIComponent(next)}`}>Older${icon("next", { mirror: true })}</a></nav>` : nothing}`,
        })}
      </section>`;
  }

  /** @param {Payout} payout */
  payout(payout) {
    return html`<li>
      <span class="two-lines grow"
        ><b class="wrap"
          ><a href=${`/merchants/${encodeURIComponent(payout.merchantId)}`} dir="auto"
            >${this.names?.get(payout.merchantId) ?? payout.merchantId}</a
          ></b
        ><span class="small muted wrap"
          ><span class="mono">${payout.id}</span> ·
          ${formatDateTime(payout.createdAt)}${payout.count === null ? "" : ` · ${formatCount(payout.count)} ${payout.count === 1 ? "settlement" : "settlements"}`}${payout.reference ? ` · ${payout.reference}` : ""}</span
        ></span
      >
      <b class="num"
        ><bdi
          >${payout.netAmountMinor === null ? "Being added up" : formatMinor(payout.netAmountMinor, payout.currency, { code: true })}</bdi
        ></b
      >${badge(payout.status, "settlement")}
      ${payout.status === "IN_BATCH" ? html`<span class="actions"><button class="button" type="button" @click=${() => this.download(payout)}>File</button><button class="button" type="button" @click=${() => this.decide(payout, "PAID")}>Mark as paid</button><button class="button" type="button" @click=${() => this.decide(payout, "CANCELLED")}>Cancel</button></span>` : nothing}
    </li>`;
  }

  async start() {
    let busy = false;
    /** @type {unknown} */
    let problem = null;
    const done = await dialog(
      "Start a payout run",
      (/** @type {(done?: boolean) => void} */ close, draw) =>
        html`<form
          @submit=${async (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            if (busy) return;
            const { merchantId, currency } = valuesOf(/** @type {HTMLFormElement} */ (event.target));
            const key = (this.key ??= crypto.randomUUID());
            busy = true;
            problem = null;
            draw();
            try {
              await call(() =>
                api.POST("/api/admin/payouts", {
                  params: { header: { "Idempotency-Key": key } },
                  body: { ...(merchantId && { merchantId }), ...(currency && { currency: currency.toUpperCase() }) },
                }),
              );
              this.key = null;
              close(true);
            } catch (error) {
              problem = error;
              if (error instanceof Error && "status" in error && error.status !== 0 && Number(error.status) < 500)
                this.key = null; // refused: the next try is another run
            }
            busy = false;
            draw();
          }}
        >
          <p class="muted">Collects every settlement that is payable by now and not held back.</p>
          <div class="two">
            ${field({ name: "merchantId", label: "Merchant (optional)", hint: "Its id; empty means all" })}${field({ name: "currency", label: "Currency (optional)", maxlength: 3 })}
          </div>
          ${refusal(problem, "The run was not started.")}
          <footer>
            <button class="button" type="button" @click=${() => close(false)}>Cancel</button
            ><button class="button primary" aria-busy=${busy ? "true" : "false"}>Start the run</button>
          </footer>
        </form>`,
    );
    if (!done) return;
    toast("The run has started. Its payouts appear here.");
    for (const pause of [500, 1500, 3000]) setTimeout(() => this.isConnected && this.list.load(), pause);
  }

  /** @param {Payout} payout @param {"PAID" | "CANCELLED"} status */
  async decide(payout, status) {
    const paid = status === "PAID";
    const amount =
      payout.netAmountMinor === null ? "" : formatMinor(payout.netAmountMinor, payout.currency, { code: true });
    let busy = false;
    /** @type {unknown} */
    let problem = null;
    const done = await dialog(
      paid ? `Mark ${amount} as paid` : `Cancel the payout of ${amount}`,
      (/** @type {(done?: boolean) => void} */ close, draw) =>
        html`<form
          @submit=${async (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            if (busy) return;
            const { text = "" } = valuesOf(/** @type {HTMLFormElement} */ (event.target));
            busy = true;
            problem = null;
            draw();
            try {
              await call(() =>
                api.PATCH("/api/admin/payouts/{id}", {
                  params: { path: { id: payout.id } },
                  body: paid ? { status, reference: text } : { status, reason: text },
                }),
              );
              close(true);
            } catch (error) {
              problem = error;
            }
            busy = false;
            draw();
          }}
        >
          <p class="muted">
            ${paid ? "Do this once the bank has sent the money. It cannot be taken back." : "Its settlements wait for the next run."}
          </p>
          ${field({ name: "text", label: paid ? "Reference of the transfer" : "Reason", required: true, maxlength: paid ? maxLength.decidePayout.reference : maxLength.decidePayout.reason })}${refusal(problem, "Nothing was changed.")}
          <footer>
            <button class="button" type="button" @click=${() => close(false)}>Back</button
            ><button class="button ${paid ? "primary" : "danger"}" aria-busy=${busy ? "true" : "false"}>
              ${paid ? "Mark as paid" : "Cancel the payout"}
            </button>
          </footer>
        </form>`,
    );
    if (done) toast(paid ? "The payout is marked as paid." : "The payout is cancelled.");
    this.list.load();
  }

  /** @param {Payout} payout */
  async download(payout) {
    await dialog("Settlements of the payout", (close, draw) => {
      this.file ??= call(() => api.GET("/api/admin/payouts/{id}/file", { params: { path: { id: payout.id } } }))
        .then(
          ({ data }) => {
            this.link = data.url;
          },
          (problem) => {
            this.fileProblem = problem;
          },
        )
        .finally(draw);
      return html`${this.link ? html`<p>A CSV file of its settlements. The link works for 10 minutes.</p>` : this.fileProblem ? refusal(this.fileProblem, "There is no file.") : html`<p role="status">One moment</p>`}
        <footer>
          <button class="button" type="button" @click=${() => close()}>Close</button
          >${this.link ? html`<a class="button primary" href=${this.link} download>Download</a>` : nothing}
        </footer>`;
    });
    this.file = undefined;
    this.link = undefined;
    this.fileProblem = undefined;
  }

  /** @type {Promise<void> | undefined} */
  file = undefined;
  /** @type {string | undefined} */
  link = undefined;
  /** @type {unknown} */
  fileProblem = undefined;
}

customElements.define("payouts-due-page", PayoutsDuePage);
