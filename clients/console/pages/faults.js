// Faults of the upstreams, as switches. The tab keeps what is on: the local system has no call that lists its faults.

import { html, LitElement, nothing } from "/kit/vendor/lit.js";
import { send } from "../control.js";

/** @typedef {{target: string, match: string, kind: string, times: number | "always", value?: number | string}} Fault */

/** The first fault that matches a call wins, so narrow ones stand before wide ones.
 * @type {{group: string, id: string, title: string, effect: string, fault: Fault}[]} */
const PRESETS = [
  { group: "Card network", id: "redeem-lost", title: "Redemptions go through, the answer is lost",
    effect: "The till shows an unknown outcome until the operation is looked up.",
    fault: { target: "card-network", match: "POST /v1/cards/redeem", kind: "after", times: "always" } },
  { group: "Card network", id: "issue-lost", title: "Cards are issued, the answer is lost",
    effect: "A sale stays open until the operation is looked up.",
    fault: { target: "card-network", match: "POST /v1/cards/issue", kind: "after", times: "always" } },
  { group: "Card network", id: "network-slow", title: "Slow by 3 seconds", effect: "Pages with data of the card network wait.",
    fault: { target: "card-network", match: "*", kind: "delay", value: 3000, times: "always" } },
  { group: "Card network", id: "network-fails", title: "Answers 503", effect: "Sales and lookups fail; reports still work.",
    fault: { target: "card-network", match: "*", kind: "status", value: 503, times: "always" } },
  { group: "Card network", id: "network-silent", title: "Never answers", effect: "Calls end with their timeouts.",
    fault: { target: "card-network", match: "*", kind: "timeout", times: "always" } },
  { group: "Identity verifier", id: "verifier-fails", title: "Answers 500", effect: "Applications are kept; verification is tried again later.",
    fault: { target: "verifier", match: "*", kind: "status", value: 500, times: "always" } },
  { group: "AWS", id: "writes-throttled", title: "DynamoDB throttles transactions", effect: "Writes are repeated, then fail.",
    fault: { target: "dynamodb", match: "TransactWriteItems", kind: "throttle", times: "always" } },
  { group: "AWS", id: "upload-fails", title: "S3 refuses uploads", effect: "Images and documents cannot be stored.",
    fault: { target: "s3", match: "PutObject", kind: "status", value: 503, times: "always" } },
  { group: "AWS", id: "mail-fails", title: "SES sends no mail", effect: "Mails wait and are tried again.",
    fault: { target: "ses", match: "*", kind: "throttle", times: "always" } },
];

const GROUPS = [...new Set(PRESETS.map(({ group }) => group))];
const STORED = "console.faults";

class FaultsPage extends LitElement {
  static properties = { active: { state: true }, problem: { state: true } };

  constructor() {
    super();
    /** @type {Set<string>} */
    this.active = new Set(JSON.parse(sessionStorage.getItem(STORED) ?? "[]"));
    this.problem = false;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    // The system may have been restarted since: what is shown as on is switched on again.
    if (this.active.size > 0) this.apply(this.active);
  }

  /** @param {Set<string>} active */
  async apply(active) {
    try {
      await send("POST", "/__local/faults", PRESETS.filter(({ id }) => active.has(id)).map(({ fault }) => fault));
      this.active = active;
      this.problem = false;
      sessionStorage.setItem(STORED, JSON.stringify([...active]));
    } catch {
      this.problem = true;
    }
  }

  /** @param {string} id */
  toggle(id) {
    const active = new Set(this.active);
    if (!active.delete(id)) active.add(id);
    this.apply(active);
  }

  render() {
    return html`
      <header class="head">
        <h1 tabindex="-1">Faults</h1>
        ${this.active.size > 0 ? html`<button class="button" @click=${() => this.apply(new Set())}>Switch all off</button>` : nothing}
      </header>
      <p class="muted">A switch replaces the faults that were set elsewhere, such as with curl.</p>
      ${this.problem
        ? html`<p class="notice bad" role="alert"><span aria-hidden="true">✕</span><span>The fault could not be set. Nothing was changed. Check that the local system runs, and try again.</span></p>`
        : nothing}
      ${GROUPS.map((group) => html`
        <h2>${group}</h2>
        <ul class="panel switches">${PRESETS.filter((preset) => preset.group === group).map(({ id, title, effect }) => html`<li>
          <span><b id="title-${id}">${title}</b><span class="muted" id="effect-${id}">${effect}</span></span>
          <button class="switch" role="switch" aria-checked=${this.active.has(id)} aria-labelledby="title-${id}" aria-describedby="effect-${id}" @click=${() => this.toggle(id)}></button>
        </li>`)}</ul>`)}`;
  }
}

customElements.define("x-faults-page", FaultsPage);
