// What is known of a webhook endpoint.

import { formatDate, formatDateTime } from "/kit/time.js";
import { html } from "/kit/vendor/lit.js";
import { icon } from "../shell/icons.js";
import { pairs } from "../shell/pairs.js";
import { empty } from "../shell/parts.js";
import { store } from "../shell/store.js";
import { disabledReason, eventSentence } from "./webhook-words.js";

/** @typedef {import("./webhook-words.js").Endpoint} Endpoint */

/** @param {Endpoint} endpoint */
export function endpointFacts({ url, events, createdAt, rotatedAt, lastSuccessAt, lastFailureAt }) {
  return pairs([
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
  ]);
}

/** @param {Endpoint} endpoint */
export function disabledNotice(endpoint) {
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

export function noEndpoint() {
  return html`<h1 tabindex="-1" class="sr">No such endpoint</h1>
    ${empty("There is no such endpoint", "It may have been deleted.", html`<a class="button" href="/developers">All endpoints</a>`)}`;
}
