// A page that follows what happens in the local system: while it is visible, it reads one address again and again.

import { html, LitElement, nothing } from "/kit/vendor/lit.js";
import { getText } from "./control.js";

const INTERVAL_MS = 2000;

/** @template T */
export class LivePage extends LitElement {
  static properties = { data: { state: true }, hasFailed: { state: true } };

  constructor() {
    super();
    /** @type {T | null} null until first read */
    this.data = null;
    this.hasFailed = false;
    /** The last answer, to render only what is new. */
    this.text = "";
    this.timer = 0;
    /** False for pages that read their data once. */
    this.isLive = true;
  }

  /** The address of the data. @returns {string} */
  get source() {
    throw new Error("abstract");
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.follow();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  async follow() {
    if (!document.hidden) await this.refresh();
    clearTimeout(this.timer);
    const goesOn = this.isLive || this.hasFailed || this.data === null;
    if (this.isConnected && goesOn) this.timer = window.setTimeout(() => this.follow(), INTERVAL_MS);
  }

  async refresh() {
    try {
      const text = await getText(this.source);
      this.hasFailed = false;
      if (text === this.text) return;
      this.text = text;
      this.data = JSON.parse(text);
    } catch {
      this.hasFailed = true;
    }
  }

  /** One cause, one message: the old data stays below it. */
  renderFailure() {
    return this.hasFailed
      ? html`<p class="notice bad" role="alert">
          <span aria-hidden="true">✕</span
          ><span
            >The local system does not answer. Start it again with <code class="mono">cargo run</code>. This page
            continues by itself.</span
          >
        </p>`
      : nothing;
  }
}

/** Rows of the final size. */
export const skeleton = () =>
  html`<div class="panel rows" aria-busy="true">
    <span class="sr">Loading</span> ${[1, 2, 3, 4, 5].map(() => html`<div class="skeleton"></div>`)}
  </div>`;

/** Time of the day with seconds, in the zone of this machine. @param {string} timestamp */
export const timeOfDay = (timestamp) =>
  new Date(timestamp).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** @param {number | null} status */
export function statusBadge(status) {
  if (status === null) return html`<span class="badge open">No answer</span>`;
  return html`<span class="badge status ${status < 400 ? "ok" : status < 500 ? "warn" : "bad"}">${status}</span>`;
}
