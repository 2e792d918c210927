// One merchant, for a platform administrator: a desk to review it at, with decisions, terms, settlements and history.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { api, call, Problem } from "../shell/api.js";
import { carryOut } from "../shell/change.js";
import { icon } from "../shell/icons.js";
import { decide, decisionButtons } from "./merchant-decisions.js";
import { company, directors, selling, settlement, team, verification } from "./merchant-facts.js";
import { MerchantHistory } from "./merchant-history.js";
import { MerchantImages } from "./merchant-images.js";
import { checklist, checksOf, documentList, identityReview } from "./merchant-review.js";
import { editSelling, editSettlement } from "./merchant-terms.js";
import { Page, Resource } from "../shell/page.js";
import { bars, states } from "../shell/parts.js";
import { peopleOf } from "./people.js";
import { askWithReason } from "../forms/reason-dialog.js";
import { SettlementList } from "./settlement-holds.js";
import { loadSheet } from "../shell/styles.js";

/** @typedef {import("./merchant-decisions.js").Merchant} Merchant */
/** @typedef {import("./merchant-decisions.js").Changes} Changes */
/** @typedef {import("./merchant-review.js").MerchantDocument} MerchantDocument */

/** Links to documents work for ten minutes. */
const LINKS_WORK_MS = 9 * 60_000;

class MerchantPage extends Page {
  merchant = new Resource(this, async () => {
    const answer = await call(() => api.GET("/api/admin/merchants/{id}", this.path()));
    this.loadedAt = Date.now();
    this.images.load(answer.data);
    return answer.data;
  });
  settlements = new SettlementList(this, () => ({ merchantId: this.params.id ?? "" }));
  loadedAt = 0;
  /** Documents that were opened, by their addresses. @type {Set<string>} */
  seen = new Set();
  history = new MerchantHistory(this);
  images = new MerchantImages(this);

  path() {
    return { params: { path: { id: this.params.id ?? "" } } };
  }

  arrive() {
    this.history.reset();
    this.merchant.load();
    this.settlements.load();
  }

  render() {
    return html`<p class="trail"><a href="/merchants">${icon("back", { mirror: true })}Merchants</a></p>
      ${states(this.merchant, { what: "The merchant", skeleton: bars(8), ready: (one) => this.desk(one) })}`;
  }

  /** @param {Merchant} one */
  desk(one) {
    const checks = checksOf(one, this.seen);
    const open = checks.filter(({ done }) => !done).map((check) => check.open);
    const people = peopleOf(one.team, one.people);
    return html`<header class="page-head">
        <div>
          <h1 tabindex="-1" dir="auto">${one.name}</h1>
          <p class="muted">${badge(one.status)} <span>${one.slug}</span></p>
        </div>
        <div class="actions">
          ${decisionButtons(one, (decision) => decide(one, decision, { open, save: this.save }))}
        </div>
      </header>
      ${one.identityChanges.length > 0 ? identityReview(one, people, () => this.review(one)) : nothing}
      ${this.toDo(one, checks)}
      <div class="halves">
        <div>${company(one)}${settlement(one, () => editSettlement(one, this.save))}</div>
        <div>
          ${directors(one)}${verification(one)}${documentList(one.profile.documents, this.seen, this.openDocument)}
          ${selling(one, () => editSelling(one, this.save))}${this.images.panel(one)}
        </div>
      </div>
      ${this.settlements.panel()}${team(one)}${this.history.panel(one)}`;
  }

  /** All that an approval asks for; later, what a business still lacks that is to sell. @param {Merchant} one @param {ReturnType<typeof checksOf>} checks */
  toDo(one, checks) {
    const edit = (/** @type {"selling" | "settlement"} */ what) =>
      what === "selling" ? editSelling(one, this.save) : editSettlement(one, this.save);
    if (one.status === "DECISION_PENDING") return checklist("Before you approve", checks, edit);
    const missing = checks.filter(({ done, set, optional }) => !done && set && !optional);
    return one.status === "ACTIVE" && missing.length > 0 ? checklist("Still to set", missing, edit) : nothing;
  }

  /** @param {Changes} changes @param {string} reason */
  save = async (changes, reason) => {
    try {
      const send = () => api.PATCH("/api/admin/merchants/{id}", { ...this.path(), body: { ...changes, reason } });
      const answer = await carryOut(send, () => this.isSaved(changes));
      if (answer) this.merchant.data = answer.data;
      this.history.reset();
      this.requestUpdate();
    } catch (problem) {
      if (problem instanceof Problem && problem.status === 409) this.merchant.load(); // it is not what was shown
      throw problem;
    }
  };

  /** A decision is made once: its repeat would be refused. @param {Changes} changes */
  async isSaved({ status }) {
    await this.merchant.load();
    return !this.merchant.problem && status !== undefined && this.merchant.data?.status === status;
  }

  /** @param {Merchant} one */
  review(one) {
    return askWithReason({
      title: `Changes of ${one.name}`,
      verb: "Reviewed",
      failed: "The changes were not marked as reviewed.",
      done: "The changes are reviewed.",
      intro: html`<p>It can be paid again. The verifier is not asked again.</p>`,
      act: (_, reason) => this.save({ identityReviewed: one.identityVersion }, reason),
    });
  }

  /** Remembers what was opened, and renews a link that works no longer. @param {Event} event @param {MerchantDocument} document */
  openDocument = async (event, document) => {
    this.seen = new Set([...this.seen, document.url]);
    this.requestUpdate();
    if (!document.link || Date.now() - this.loadedAt < LINKS_WORK_MS) return;
    event.preventDefault();
    await this.merchant.load();
    const renewed = this.merchant.data?.profile.documents.find(({ url }) => url === document.url);
    if (renewed?.link) location.assign(renewed.link); // a download: the page stays
  };
}

await loadSheet("/desk.css");
customElements.define("merchant-page", MerchantPage);
