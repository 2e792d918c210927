// A delivery in the list of its endpoint: what was sent, what became of it, and its attempts.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatCount } from "../shell/parts.js";
import { attemptOutcome, deliveryBadge, eventSentence, formatSecond, isEnabled } from "./webhook-words.js";

/** @typedef {import("./webhook-words.js").Endpoint} Endpoint */
/** @typedef {import("./webhook-words.js").Delivery} Delivery */

/** @param {Endpoint} endpoint @param {Delivery} delivery @param {{again: unknown, failure: unknown}} below what can be done about it, and what went wrong */
export function deliveryRow(endpoint, delivery, { again, failure }) {
  const { event, messageId, createdAt } = delivery;
  return html`<li>
    <span class="two-lines grow">
      <span><b class="wrap">${eventSentence(event)}</b> ${deliveryBadge(delivery)}</span>
      <span class="small muted when"
        ><time datetime=${createdAt}>${formatSecond(createdAt)}</time><span class="mono wrap">${messageId}</span></span
      >
      ${problemOf(endpoint, delivery)}
    </span>
    ${again} ${attemptList(delivery)} ${failure}
  </li>`;
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
