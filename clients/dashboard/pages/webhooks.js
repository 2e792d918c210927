// Webhooks: the systems of the merchant that are told what happens.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatDateTime } from "/kit/time.js";
import { toast } from "../forms.js";
import { Page, Resource } from "../page.js";
import { empty, head, states } from "../parts.js";
import { go } from "../router.js";
import { mayChange, store } from "../store.js";
import { loadSheet } from "../styles.js";
import { loadEndpoints } from "../webhook-calls.js";
import { createEndpoint } from "../webhook-form.js";
import { disabledReason, endpointBadge, eventList, hostOf, isEnabled } from "../webhook-words.js";

/** @typedef {import("../webhook-words.js").Endpoint} Endpoint */

const WHAT =
  "A webhook tells a system of yours, such as bookkeeping or a loyalty programme, at once what happens here. Give us the address of that system, and give its operator the secret by which it knows that a message is from us.";

class WebhooksPage extends Page {
  list = new Resource(this, loadEndpoints);

  arrive() {
    this.list.load();
  }

  render() {
    const add = html`<button class="button primary" type="button" @click=${this.add}>New endpoint</button>`;
    return html`${head("Webhooks", html`<span class="explanation">${WHAT}</span>`, mayChange("portal.organization") ? add : nothing)}
      <section class="panel">
        <header><h2>Endpoints</h2></header>
        ${states(this.list, { what: "The endpoints", rows: 3, ready: endpointList })}
      </section>`;
  }

  async add() {
    const made = await createEndpoint();
    if (!made) return this.list.load(); // it may be there without an answer
    toast("The endpoint was created. Send it a test.");
    go(endpointPath(made));
  }
}

/** @param {{id: string}} endpoint */
const endpointPath = ({ id }) => `/webhooks/${encodeURIComponent(id)}`;

/** @param {Endpoint[]} endpoints */
function endpointList(endpoints) {
  if (endpoints.length === 0) return empty("No endpoints yet", "An endpoint is the address of a system that is told.");
  return html`<ul class="rows endpoints">
    ${endpoints.map(endpointRow)}
  </ul>`;
}

/** @param {Endpoint} endpoint */
function endpointRow(endpoint) {
  const { description, events } = endpoint;
  return html`<li>
    <span class="two-lines grow">
      <span
        ><a class="wrap" href=${endpointPath(endpoint)}
          ><b><bdi>${hostOf(endpoint)}</bdi></b></a
        >
        ${endpointBadge(endpoint)}</span
      >
      ${isEnabled(endpoint) ? nothing : html`<span class="wrap">${disabledReason(endpoint)}</span>`}
      ${description ? html`<span class="wrap" dir="auto">${description}</span>` : nothing}
      <span class="small muted wrap">${eventList(events)}</span>
    </span>
    <span class="last small muted">${lastTimes(endpoint)}</span>
  </li>`;
}

/** @param {Endpoint} endpoint */
function lastTimes({ lastSuccessAt, lastFailureAt }) {
  if (!lastSuccessAt && !lastFailureAt) return "Nothing was sent yet";
  return html`${lastTime("Last accepted", lastSuccessAt)} ${lastTime("Last failed", lastFailureAt)}`;
}

/** @param {string} word @param {string | null} timestamp */
function lastTime(word, timestamp) {
  return timestamp
    ? html`<span>${word} <time datetime=${timestamp}>${formatDateTime(timestamp, store.timeZone)}</time></span>`
    : nothing;
}

await loadSheet("/webhooks.css");
customElements.define("webhooks-page", WebhooksPage);
