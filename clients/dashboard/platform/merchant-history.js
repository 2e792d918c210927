// What was done with a merchant: the latest entries come with the merchant, earlier ones when they are asked for.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { api, call } from "../shell/api.js";
import { history, withoutLooks } from "./history.js";
import { failure, segmented } from "../shell/parts.js";
import { peopleOf } from "./people.js";

/** @typedef {import("./merchant-decisions.js").Merchant} Merchant */
/** @typedef {import("../shell/store.js").Schemas["AuditPage"]} AuditPage */

/** As many as come with the merchant. */
const LATEST = 50;
const PAGE = 200;
const VIEWS = /** @type {const} */ ([
  ["changes", "Changes"],
  ["all", "With looks"],
]);

export class MerchantHistory {
  withLooks = false;
  /** What was read beyond the latest entries. @type {AuditPage | null} */
  read = null;
  /** Why earlier entries could not be loaded. @type {unknown} */
  problem = null;
  /** What is asked for now: the answer to an earlier question does not belong to it. */
  #question = {};

  /** @param {import("../shell/page.js").Page} page */
  constructor(page) {
    this.page = page;
  }

  /** For another merchant. */
  reset() {
    this.read = null;
    this.problem = null;
    this.#question = {};
  }

  /** @param {Merchant} one */
  panel(one) {
    const entries = this.read?.audit ?? (this.withLooks ? one.audit : withoutLooks(one.audit));
    const people = peopleOf(one.team, one.people, this.read?.people);
    const othersFollow = this.read ? this.read.next !== null : one.audit.length >= LATEST;
    return html`<section class="panel">
      <header>
        <h2>History</h2>
        ${segmented("Shown in the history", VIEWS, this.withLooks ? "all" : "changes", (view) => this.show(view))}
      </header>
      ${history(entries, { currency: one.profile.currency ?? "EUR", people })}
      ${this.problem ? failure(this.problem, "Earlier entries", () => this.more(one)) : nothing}
      ${
        othersFollow && !this.problem
          ? html`<nav class="pages" aria-label="Earlier entries">
              <span></span
              ><button class="button" type="button" @click=${() => this.earlier(one)}>Show earlier ones</button>
            </nav>`
          : nothing
      }
    </section>`;
  }

  /** @param {string} view */
  show(view) {
    this.withLooks = view === "all";
    this.reset();
    this.page.requestUpdate();
  }

  earlier = once((/** @type {Merchant} */ one) => this.more(one));

  /** @param {Merchant} one */
  async more({ id }) {
    const cursor = this.read?.next;
    const query = { limit: PAGE, onlyChanges: !this.withLooks, ...(cursor && { cursor }) };
    const path = { id };
    const question = this.#question;
    try {
      const { data } = await call(() => api.GET("/api/admin/merchants/{id}/audit", { params: { path, query } }));
      if (question !== this.#question) return;
      const { audit = [], people = [] } = this.read ?? {};
      this.read = { ...data, audit: [...audit, ...data.audit], people: [...people, ...data.people] };
      this.problem = null;
    } catch (problem) {
      if (question === this.#question) this.problem = problem;
    }
    this.page.requestUpdate();
  }
}
