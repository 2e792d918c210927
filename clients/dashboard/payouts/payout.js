// One payout, as on the statement of the bank: its amount, reference and settlements, and their file.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { formatDate } from "/kit/time.js";
import { Problem } from "../shell/api.js";
import { icon } from "../shell/icons.js";
import { addUp, loadPayout, loadPayoutFile } from "./merchant-payouts.js";
import { extend } from "../shell/more.js";
import { Page, Resource } from "../shell/page.js";
import { pairs } from "../shell/pairs.js";
import { bars, empty, stat, states } from "../shell/parts.js";
import { offerFile } from "./payout-file.js";
import { payoutAmount, settlementCount, statusBadge } from "./payout-state.js";
import { settlementTable } from "./settlement-table.js";
import { store } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";

/** @typedef {import("./merchant-payouts.js").PayoutDetail} PayoutDetail */

class PayoutPage extends Page {
  payout = new Resource(this, async () => {
    try {
      return await loadPayout(this.params.id ?? "", null);
    } catch (problem) {
      if (problem instanceof Problem && problem.status === 404) return null;
      throw problem;
    }
  });

  sums = new Resource(this, async () => (this.payout.data ? addUp(this.payout.data) : null));

  async arrive() {
    await this.payout.load();
    if (this.payout.data) this.sums.load();
  }

  /** Adds the next settlements to those that are shown. */
  more = once(() =>
    extend(this.payout, async (shown) => {
      if (!shown) return shown;
      const page = await loadPayout(shown.id, shown.next);
      return { ...page, settlements: [...shown.settlements, ...page.settlements] };
    }),
  );

  render() {
    return html`<p class="trail"><a href="/payouts">${icon("back", { mirror: true })}Payouts</a></p>
      ${states(this.payout, {
        what: "The payout",
        skeleton: bars(6),
        ready: (payout) => (payout ? this.detail(payout) : missing()),
      })}`;
  }

  /** What it adds up, less the fees. @param {PayoutDetail} payout */
  summary(payout) {
    const { currency, netAmountMinor, count } = payout;
    const sums = this.sums.data;
    /** @param {"gross" | "fee"} name */
    const value = (name) => (sums ? formatMinor(sums[name], currency) : sums === null ? "In the file" : "…");
    if (netAmountMinor === null || this.sums.problem) return nothing;
    return html`<dl class="stats panel" aria-busy=${sums === undefined ? "true" : "false"} aria-label="What it adds up">
      ${sum("Sales and redemptions", value("gross"), settlementCount(count))}
      ${sum("Fees", value("fee"), "Kept by the platform")}
      ${sum(payout.status === "PAID" ? "Paid to you" : "You get", payoutAmount(payout), "The rest")}
    </dl>`;
  }

  /** @param {PayoutDetail} payout */
  detail(payout) {
    const { id, createdAt, paidAt, reference, settlements, next } = payout;
    const file = () => offerFile("Settlements of the payout", () => loadPayoutFile(id));
    return html`<header class="page-head">
        <div>
          <h1 tabindex="-1"><bdi>${payoutAmount(payout)}</bdi></h1>
          <p class="muted">${statusBadge(payout)}</p>
        </div>
        <div class="actions"><button class="button" type="button" @click=${file}>File</button></div>
      </header>
      ${this.summary(payout)}
      <section class="panel statement">
        <header><h2>On your statement</h2></header>
        ${pairs([
          ["Reference", reference],
          ["Paid on", paidAt && formatDate(paidAt, store.timeZone)],
          ["Created on", formatDate(createdAt, store.timeZone)],
          ["Number", id],
        ])}
      </section>
      <section class="panel">
        <header><h2>Settlements</h2></header>
        ${settlementTable(settlements, { withStatus: false })}
        ${next ? html`<nav class="pages" aria-label="More settlements"><span></span><button class="button" type="button" @click=${() => this.more()}>Show more</button></nav>` : nothing}
      </section>`;
  }
}

/** @param {string} label @param {string} value @param {string} note */
const sum = (label, value, note) => stat({ label, value, change: html`<span class="change">${note}</span>` });

function missing() {
  return html`<h1 tabindex="-1" class="sr">No such payout</h1>
    ${empty("There is no such payout", "Look for it in the list.", html`<a class="button" href="/payouts">All payouts</a>`)}`;
}

await loadSheet("/desk.css");
customElements.define("payout-page", PayoutPage);
