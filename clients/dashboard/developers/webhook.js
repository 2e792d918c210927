// A webhook endpoint: what it is told, and what was sent to it.

import { once } from "/kit/once.js";
import { html, nothing, repeat } from "/kit/vendor/lit.js";
import { formatDate, formatDateTime } from "/kit/time.js";
import { api } from "../shell/api.js";
import { change, Doubt } from "../shell/change.js";
import { refusal, toast } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { Page, Resource } from "../shell/page.js";
import { pairs } from "../shell/pairs.js";
import { bars, empty, formatCount, rowButton, states } from "../shell/parts.js";
import { go, goWith } from "../shell/router.js";
import { mayChange, store } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";
import { changeEndpoint, loadDeliveries, loadEndpoints, whenAttempted } from "./webhook-calls.js";
import { deleteEndpoint, disableEndpoint, replaceSecret, sendTest } from "./webhook-dialogs.js";
import { editEndpoint } from "./webhook-form.js";
import {
  attemptOutcome,
  deliveryBadge,
  disabledReason,
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

class WebhookPage extends Page {
  /** Null: there is no such endpoint. */
  endpoint = new Resource(this, async () => (await loadEndpoints()).find(({ id }) => id === this.params.id) ?? null);
  deliveries = new Resource(this, () => this.loadShown());
  /** What is being done: to a delivery, by its id, or to the endpoint. */
  busy = "";
  /** What was not done. @type {{what: string, text: string, problem: unknown} | null} */
  failed = null;
  doubt = new Doubt();

  get id() {
    return this.params.id ?? "";
  }

  get status() {
    return STATUSES.find(([status]) => status === this.query.get("status"))?.[0];
  }

  arrive() {
    this.failed = null;
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
        ready: (endpoint) => (endpoint ? this.detail(endpoint) : missing()),
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
      ${isEnabled(endpoint) ? nothing : disabledNotice(endpoint)} ${this.failure("endpoint")} ${this.about(endpoint)}
      ${this.deliveriesPanel(endpoint)}`;
  }

  /** @param {Endpoint} endpoint */
  mainAction(endpoint) {
    if (isEnabled(endpoint))
      return html`<button class="button primary" type="button" @click=${() => this.test(endpoint)}>
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
    const { url, events, createdAt, rotatedAt, lastSuccessAt, lastFailureAt } = endpoint;
    return html`<section class="panel about">
      <header><h2>Endpoint</h2></header>
      ${pairs([
        ["Address", html`<span class="wrap" dir="ltr">${url}</span>`],
        [
          "Sent when",
          html`<ul>
            ${events.map((type) => html`<li>${eventSentence(type)}</li>`)}
          </ul>`,
        ],
        ["Last accepted", lastSuccessAt ? formatDateTime(lastSuccessAt, store.timeZone) : "Nothing yet"],
        ["Last failed", lastFailureAt && formatDateTime(lastFailureAt, store.timeZone)],
        ["Secret replaced", rotatedAt && formatDateTime(rotatedAt, store.timeZone)],
        ["Created", formatDate(createdAt, store.timeZone)],
      ])}
      ${mayChange("portal.organization") ? this.changes(endpoint) : nothing}
    </section>`;
  }

  /** @param {Endpoint} endpoint */
  changes(endpoint) {
    if (!seesEvents(endpoint.events))
      return html`<div class="bar inset">
        <p class="muted">It receives what your role does not show you, so you cannot change or delete it.</p>
      </div>`;
    const remove = button("Delete", () => this.removeEndpoint(endpoint), "danger");
    return html`<div class="bar inset">
      ${button("Change", () => this.change(endpoint))} ${button("Replace the secret", () => this.replace(endpoint))}
      ${isEnabled(endpoint) ? button("Disable", () => this.disable(endpoint)) : nothing} ${remove}
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
      ${this.failure("more")}
      ${page.next ? html`<nav class="pages" aria-label="More deliveries"><span></span><button class="button" type="button" aria-busy=${this.busy === "more" ? "true" : "false"} @click=${more}>Show more</button></nav>` : nothing}`;
  }

  none() {
    if (!this.status) return empty("No deliveries", "Messages to this endpoint appear here.");
    const clear = () => goWith({ status: null }, { replace: true });
    return empty(
      "No delivery matches",
      "None has this status.",
      html`<button class="button" type="button" @click=${clear}>Clear the filter</button>`,
    );
  }

  /** @param {Endpoint} endpoint @param {Delivery} delivery */
  delivery(endpoint, delivery) {
    const { id, event, messageId, createdAt } = delivery;
    const sentence = eventSentence(event);
    const again = rowButton({
      word: "Send again",
      label: `Send again: ${sentence}, ${formatSecond(createdAt)}`,
      busy: this.busy === id,
      act: () => this.retry(endpoint, delivery),
    });
    return html`<li>
      <span class="two-lines grow">
        <span><b class="wrap">${sentence}</b> ${deliveryBadge(delivery)}</span>
        <span class="small muted when"
          ><time datetime=${createdAt}>${formatSecond(createdAt)}</time
          ><span class="mono wrap">${messageId}</span></span
        >
        ${problemOf(endpoint, delivery)}
      </span>
      ${mayChange("portal.organization") && isEnabled(endpoint) ? again : nothing} ${attemptList(delivery)}
      ${this.failure(id)}
    </li>`;
  }

  /** @param {string} what */
  failure(what) {
    return this.failed?.what === what
      ? html`<div class="whole">${refusal(this.failed.problem, this.failed.text)}</div>`
      : nothing;
  }

  /** Does something, and shows there what went wrong. */
  run = once(async (/** @type {string} */ what, /** @type {string} */ text, /** @type {() => Promise<void>} */ act) => {
    this.busy = what;
    this.failed = null;
    this.requestUpdate();
    try {
      await act();
      this.doubt.end(what);
    } catch (problem) {
      this.failed = { what, text, problem: this.doubt.about(problem, what) };
    }
    this.busy = "";
    this.requestUpdate();
  });

  /** Adds the next deliveries to those that are shown. @param {DeliveryPage} shown */
  more(shown) {
    return this.run("more", "The next deliveries could not be loaded.", async () => {
      const cursor = shown.next ?? undefined;
      const page = await loadDeliveries(this.id, { status: this.status, cursor, limit: PAGE_SIZE });
      if (this.deliveries.data !== shown) return; // they are others meanwhile
      this.deliveries.data = { ...page, deliveries: [...shown.deliveries, ...page.deliveries] };
    });
  }

  /** @param {Endpoint} endpoint @param {Delivery} delivery */
  retry({ id }, delivery) {
    return this.run(delivery.id, "The message was not sent again.", async () => {
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

  /** @param {Endpoint} endpoint */
  async test(endpoint) {
    await sendTest(endpoint);
    this.refresh();
  }

  /** @param {Endpoint} endpoint */
  async change(endpoint) {
    if (!(await editEndpoint(endpoint))) return;
    toast("The endpoint was changed.");
    this.refresh();
  }

  /** @param {Endpoint} endpoint */
  async replace(endpoint) {
    if (!(await replaceSecret(endpoint))) return;
    toast("The secret was replaced.");
    this.refresh();
  }

  /** @param {Endpoint} endpoint */
  async disable(endpoint) {
    if (!(await disableEndpoint(endpoint))) return;
    toast(`${hostOf(endpoint)} is disabled.`);
    this.refresh();
  }

  /** @param {Endpoint} endpoint */
  enable(endpoint) {
    return this.run("endpoint", `${hostOf(endpoint)} was not enabled.`, async () => {
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

/** @param {Endpoint} endpoint */
function disabledNotice(endpoint) {
  const repair =
    endpoint.disabledBecause === "MEMBER" ? "" : "Have the system checked, and enable it once it accepts messages.";
  return html`<div class="notice warn" role="status">
    ${icon("warn")}
    <div>
      <b>Nothing is sent. ${disabledReason(endpoint)}</b>
      <p>${repair} Messages are kept for three days from then on, and are lost after that.</p>
    </div>
  </div>`;
}

/** Why it was not accepted, and what comes next. @param {Endpoint} endpoint @param {Delivery} delivery */
function problemOf(endpoint, { status, attempts, nextAttemptAt }) {
  if (status === "DELIVERED") return nothing;
  const latest = attempts.at(-1);
  const sentences = [latest && attemptOutcome(latest)];
  if (status === "PENDING" && !isEnabled(endpoint)) sentences.push("It waits until the endpoint is enabled");
  else if (status === "PENDING" && !nextAttemptAt) sentences.push("It is being sent");
  else if (latest && nextAttemptAt) sentences.push(`Next attempt: ${formatSecond(nextAttemptAt)}`);
  const text = sentences.filter(Boolean).join(". ");
  return text ? html`<span class="small wrap">${text}.</span>` : nothing;
}

/** @param {Delivery} delivery */
function attemptList({ attempts }) {
  if (attempts.length === 0) return nothing;
  const count = attempts.length === 1 ? "1 attempt" : `${formatCount(attempts.length)} attempts`;
  return html`<details class="whole attempts">
    <summary>${count}</summary>
    <ol>
      ${attempts.map(
        (attempt) =>
          html`<li class="small">
            <time class="muted" datetime=${attempt.at}>${formatSecond(attempt.at)}</time>
            <span class="wrap">${attemptOutcome(attempt)}</span>
          </li>`,
      )}
    </ol>
  </details>`;
}

function missing() {
  return html`<h1 tabindex="-1" class="sr">No such endpoint</h1>
    ${empty("There is no such endpoint", "It may have been deleted.", html`<a class="button" href="/developers">All endpoints</a>`)}`;
}

await loadSheet("/developers/webhooks.css");
customElements.define("webhook-page", WebhookPage);
