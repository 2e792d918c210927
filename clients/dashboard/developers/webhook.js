// A webhook endpoint: what it is told, and what was sent to it.

import { html, nothing, repeat } from "/kit/vendor/lit.js";
import { api } from "../shell/api.js";
import { ActingPage } from "../shell/acting-page.js";
import { change } from "../shell/change.js";
import { refusal, toast } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { Resource } from "../shell/page.js";
import { bars, empty, rowButton, states } from "../shell/parts.js";
import { go, goWith } from "../shell/router.js";
import { mayChange } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";
import { deliveryRow } from "./delivery-row.js";
import { disabledNotice, endpointFacts, noEndpoint } from "./endpoint-facts.js";
import { changeEndpoint, loadDeliveries, loadEndpoints, whenAttempted } from "./webhook-calls.js";
import { deleteEndpoint, disableEndpoint, replaceSecret, sendTest } from "./webhook-dialogs.js";
import { editEndpoint } from "./webhook-form.js";
import {
  attemptOutcome,
  endpointBadge,
  eventSentence,
  formatSecond,
  hostOf,
  isEnabled,
  seesEvents,
  STATUSES,
} from "./webhook-words.js";

/** @typedef {import("./webhook-words.js").Endpoint} Endpoint */
/** @typedef {import("./webhook-words.js").Delivery} Delivery */
/** @typedef {import("./webhook-calls.js").DeliveryPage} DeliveryPage */

const PAGE_SIZE = 20;

/** What is being sent: something to a delivery, by its id, the next page, or something to the endpoint. */
class WebhookPage extends ActingPage {
  /** Null: there is no such endpoint. */
  endpoint = new Resource(this, async () => (await loadEndpoints()).find(({ id }) => id === this.params.id) ?? null);
  deliveries = new Resource(this, () => this.loadShown());

  get id() {
    return this.params.id ?? "";
  }

  get status() {
    return STATUSES.find(([status]) => status === this.query.get("status"))?.[0];
  }

  arrive() {
    this.failed = { what: "", problem: null };
    this.deliveries.clear();
    this.refresh();
  }

  refresh() {
    return Promise.all([this.endpoint.load(), this.deliveries.load()]);
  }

  /** As many as are shown already. */
  loadShown() {
    const limit = Math.max(PAGE_SIZE, this.deliveries.data?.deliveries.length ?? 0);
    return loadDeliveries(this.id, { status: this.status, limit });
  }

  render() {
    return html`<p class="trail"><a href="/developers">${icon("back", { mirror: true })}Developers</a></p>
      ${states(this.endpoint, {
        what: "The endpoint",
        skeleton: bars(6),
        ready: (endpoint) => (endpoint ? this.detail(endpoint) : noEndpoint()),
      })}`;
  }

  /** @param {Endpoint} endpoint */
  detail(endpoint) {
    return html`<header class="page-head">
        <div>
          <h1 class="wrap" tabindex="-1"><bdi>${hostOf(endpoint)}</bdi></h1>
          <p class="muted">${endpointBadge(endpoint)} <span dir="auto">${endpoint.description}</span></p>
        </div>
        <div class="actions">${mayChange("portal.organization") ? this.mainAction(endpoint) : nothing}</div>
      </header>
      ${isEnabled(endpoint) ? nothing : disabledNotice(endpoint)}
      ${this.failure("endpoint", `${hostOf(endpoint)} was not enabled.`)} ${this.about(endpoint)}
      ${this.deliveriesPanel(endpoint)}`;
  }

  /** @param {Endpoint} endpoint */
  mainAction(endpoint) {
    if (isEnabled(endpoint))
      return html`<button
        class="button primary"
        type="button"
        @click=${() => sendTest(endpoint).then(() => this.refresh())}
      >
        Send a test
      </button>`;
    return seesEvents(endpoint.events)
      ? html`<button
          class="button primary"
          type="button"
          aria-busy=${this.busy === "endpoint" ? "true" : "false"}
          @click=${() => this.enable(endpoint)}
        >
          Enable
        </button>`
      : nothing;
  }

  /** @param {Endpoint} endpoint */
  about(endpoint) {
    return html`<section class="panel about">
      <header><h2>Endpoint</h2></header>
      ${endpointFacts(endpoint)} ${mayChange("portal.organization") ? this.changes(endpoint) : nothing}
    </section>`;
  }

  /** @param {Endpoint} endpoint */
  changes(endpoint) {
    if (!seesEvents(endpoint.events))
      return html`<div class="bar inset">
        <p class="muted">It receives what your role does not show you, so you cannot change or delete it.</p>
      </div>`;
    const change = () => this.byDialog(endpoint, editEndpoint, "The endpoint was changed.");
    const replace = () => this.byDialog(endpoint, replaceSecret, "The secret was replaced.");
    const disable = () => this.byDialog(endpoint, disableEndpoint, `${hostOf(endpoint)} is disabled.`);
    const remove = button("Delete", () => this.removeEndpoint(endpoint), "danger");
    return html`<div class="bar inset">
      ${button("Change", change)} ${button("Replace the secret", replace)}
      ${isEnabled(endpoint) ? button("Disable", disable) : nothing} ${remove}
    </div>`;
  }

  /** @param {Endpoint} endpoint */
  deliveriesPanel(endpoint) {
    const choose = (/** @type {Event} */ event) =>
      goWith({ status: /** @type {HTMLSelectElement} */ (event.target).value }, { replace: true });
    return html`<section class="panel deliveries">
      <header>
        <h2>Deliveries of the last 30 days</h2>
        <select class="input" aria-label="Status" @change=${choose}>
          <option value="">Any status</option>
          ${STATUSES.map(([status, word]) => html`<option value=${status} ?selected=${status === this.status}>${word}</option>`)}
        </select>
      </header>
      ${states(this.deliveries, { what: "Deliveries", rows: 4, ready: (page) => this.list(endpoint, page) })}
    </section>`;
  }

  /** @param {Endpoint} endpoint @param {DeliveryPage} page */
  list(endpoint, page) {
    if (page.deliveries.length === 0 && !page.next) return this.none();
    const more = () => this.more(page);
    return html`<ul class="rows">
        ${repeat(
          page.deliveries,
          ({ id }) => id,
          (delivery) => this.delivery(endpoint, delivery),
        )}
      </ul>
      ${this.failure("more", "The next deliveries could not be loaded.")}
      ${page.next ? html`<nav class="pages" aria-label="More deliveries"><span></span><button class="button" type="button" aria-busy=${this.busy === "more" ? "true" : "false"} @click=${more}>Show more</button></nav>` : nothing}`;
  }

  none() {
    if (!this.status) return empty("No deliveries", "Messages to this endpoint appear here.");
    const clear = button("Clear the filter", () => goWith({ status: null }, { replace: true }));
    return empty("No delivery matches", "None has this status.", clear);
  }

  /** @param {Endpoint} endpoint @param {Delivery} delivery */
  delivery(endpoint, delivery) {
    const { id, event, createdAt } = delivery;
    const again = rowButton({
      word: "Send again",
      label: `Send again: ${eventSentence(event)}, ${formatSecond(createdAt)}`,
      busy: this.busy === id,
      act: () => this.retry(endpoint, delivery),
    });
    const mayRetry = mayChange("portal.organization") && isEnabled(endpoint);
    return deliveryRow(endpoint, delivery, {
      again: mayRetry ? again : nothing,
      failure: this.failure(id, "The message was not sent again."),
    });
  }

  /** @param {string} what @param {string} text */
  failure(what, text) {
    const problem = this.problemOf(what);
    return problem ? html`<div class="whole">${refusal(problem, text)}</div>` : nothing;
  }

  /** Adds the next deliveries to those that are shown. @param {DeliveryPage} shown */
  more(shown) {
    return this.run("more", async () => {
      const cursor = shown.next ?? undefined;
      const page = await loadDeliveries(this.id, { status: this.status, cursor, limit: PAGE_SIZE });
      if (this.deliveries.data !== shown) return; // they are others meanwhile
      this.deliveries.data = { ...page, deliveries: [...shown.deliveries, ...page.deliveries] };
    });
  }

  /** @param {Endpoint} endpoint @param {Delivery} delivery */
  retry({ id }, delivery) {
    return this.run(delivery.id, async () => {
      const path = { id, deliveryId: delivery.id };
      await change(() => api.POST("/api/bff/webhooks/{id}/deliveries/{deliveryId}/retry", { params: { path } }));
      const lastAttempt = delivery.attempts.at(-1)?.at;
      const isAwaited = () => this.isConnected && this.id === id;
      const attempted = await whenAttempted(id, delivery.id, { isAwaited, lastAttempt });
      if (!isAwaited()) return;
      const latest = attempted?.attempts.at(-1);
      toast(latest ? `Sent again. ${attemptOutcome(latest)}.` : "The message is on its way again.");
      await this.refresh();
    });
  }

  /** @param {Endpoint} endpoint @param {(endpoint: Endpoint) => Promise<unknown>} dialog @param {string} said */
  async byDialog(endpoint, dialog, said) {
    if (!(await dialog(endpoint))) return;
    toast(said);
    this.refresh();
  }

  /** @param {Endpoint} endpoint */
  enable(endpoint) {
    return this.run("endpoint", async () => {
      await changeEndpoint(endpoint.id, { status: "ENABLED" });
      toast(`${hostOf(endpoint)} is enabled. Pending messages are sent now.`);
      await this.refresh();
    });
  }

  /** @param {Endpoint} endpoint */
  async removeEndpoint(endpoint) {
    if (!(await deleteEndpoint(endpoint))) return;
    toast(`${hostOf(endpoint)} was deleted.`);
    go("/developers", { replace: true });
  }
}

/** @param {string} word @param {() => void} act @param {"" | "danger"} [tone] */
function button(word, act, tone = "") {
  return html`<button class="button ${tone}" type="button" @click=${act}>${word}</button>`;
}

await loadSheet("/developers/webhooks.css");
customElements.define("webhook-page", WebhookPage);
