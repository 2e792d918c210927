// What is done with an endpoint beside changing it: disabling, replacing its secret, deleting, sending a test.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { api } from "../shell/api.js";
import { change, Doubt, goneIsDone } from "../shell/change.js";
import { actionDialog, confirm, dialog } from "../forms/dialogs.js";
import { field, refusal, submitButton } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { changeEndpoint, whenAttempted } from "./webhook-calls.js";
import { showSecret } from "./webhook-form.js";
import { attemptOutcome, EVENTS, formatSecond, hostOf } from "./webhook-words.js";

/** @typedef {import("./webhook-words.js").Endpoint} Endpoint */
/** @typedef {import("./webhook-words.js").Delivery} Delivery */

const OVERLAP_MS = 24 * 3600 * 1000;

/** @param {Endpoint} endpoint */
export function disableEndpoint(endpoint) {
  const host = hostOf(endpoint);
  return confirm({
    title: `Disable ${host}?`,
    text: "Nothing more is sent to it. Messages are kept for three days, and are sent if you enable it within that time.",
    verb: `Disable ${host}`,
    failed: `${host} was not disabled. Messages are sent as before.`,
    act: () => changeEndpoint(endpoint.id, { status: "DISABLED" }),
  });
}

/** @param {Endpoint} endpoint */
export function deleteEndpoint(endpoint) {
  const host = hostOf(endpoint);
  const lost = ["Messages that have not been accepted yet are never sent", "The list of its deliveries", "Its secret"];
  return confirm({
    title: `Delete ${host}?`,
    text: "Nothing more is sent to it. This cannot be undone.",
    effects: [{ title: "What is lost", items: lost }],
    verb: `Delete ${host}`,
    failed: `${host} was not deleted. Nothing was changed.`,
    tone: "final",
    act: () =>
      change(() => api.DELETE("/api/bff/webhooks/{id}", { params: { path: { id: endpoint.id } } })).catch(goneIsDone),
  });
}

/** Resolves to whether there is another secret, once it was shown. @param {Endpoint} endpoint */
export async function replaceSecret(endpoint) {
  const path = { id: endpoint.id };
  const secret = await actionDialog({
    title: `Replace the secret of ${hostOf(endpoint)}`,
    verb: "Replace the secret",
    failed: "The secret was not replaced. The current one still works.",
    content: () => rotationChoice(endpoint),
    act: async ({ rotation }) => {
      const body = rotation === "immediately" ? { immediately: true } : {};
      return (await change(() => api.POST("/api/bff/webhooks/{id}/rotation", { params: { path }, body }))).data.secret;
    },
  });
  if (secret) await showSecret(endpoint, secret);
  return secret !== undefined;
}

/** @param {Endpoint} endpoint */
function rotationChoice({ rotatedAt }) {
  const isRecent = rotatedAt !== null && Date.now() - Date.parse(rotatedAt) < OVERLAP_MS;
  return html`<fieldset class="powers">
      <legend>The current secret</legend>
      ${rotation("later", "Works for another 24 hours", "Both secrets work meanwhile, so that your system misses nothing.", true)}
      ${rotation("immediately", "Stops immediately", "Because others may know it. Your system accepts nothing until it has the new one.", false)}
    </fieldset>
    ${isRecent ? html`<p class="small muted">If an older secret still works beside it, that one stops now.</p>` : nothing}`;
}

/** @param {string} value @param {string} word @param {string} text @param {boolean} isFirst */
function rotation(value, word, text, isFirst) {
  return html`<label class="check">
    <input type="radio" name="rotation" value=${value} ?checked=${isFirst} />
    <span>${word}<span class="small muted block">${text}</span></span>
  </label>`;
}

/** Sends an example, and shows what becomes of it. @param {Endpoint} endpoint */
export async function sendTest(endpoint) {
  const test = new Test(endpoint);
  await dialog(`Send a test to ${hostOf(endpoint)}`, (close, draw) => test.view(() => close(), draw));
  test.isOpen = false;
}

class Test {
  isOpen = true;
  /** @type {"choice" | "waiting" | "over"} */
  step = "choice";
  /** @type {unknown} */
  problem = null;
  doubt = new Doubt();
  /** Undefined if it was not attempted while the dialog waited. @type {Delivery | undefined} */
  delivery = undefined;

  /** @param {Endpoint} endpoint */
  constructor(endpoint) {
    this.endpoint = endpoint;
    this.event = endpoint.events.find((type) => EVENTS.some((event) => event.type === type)) ?? "gift_card.issued";
  }

  /** @param {() => void} close @param {() => void} draw */
  view(close, draw) {
    /** @param {SubmitEvent} submit */
    const send = (submit) => {
      submit.preventDefault();
      this.send(draw);
    };
    // A choice is nothing that could be lost.
    return html`<form @submit=${send} @input=${(/** @type {Event} */ event) => event.stopPropagation()}>
      <p class="muted">An example that is marked as a test. Nothing happens with cards or money.</p>
      ${this.choice()}
      <div role="status">${this.outcome()}</div>
      ${refusal(this.problem, "No test was sent.")}
      <footer>
        <button class="button" type="button" @click=${close}>Close</button>
        ${submitButton(this.step === "over" ? "Send another test" : "Send the test", this.step === "waiting")}
      </footer>
    </form>`;
  }

  choice() {
    return field({
      name: "event",
      label: "Message",
      value: this.event,
      options: EVENTS.map(({ type, sentence }) => /** @type {const} */ ([type, sentence])),
      oninput: (type) => {
        this.event = EVENTS.find((event) => event.type === type)?.type ?? this.event;
      },
    });
  }

  send = once(async (/** @type {() => void} */ draw) => {
    const { id } = this.endpoint;
    this.step = "waiting";
    this.problem = null;
    this.delivery = undefined;
    draw();
    try {
      const body = { event: this.event };
      const begun = await change(() => api.POST("/api/bff/webhooks/{id}/test", { params: { path: { id } }, body }));
      this.delivery = await whenAttempted(id, begun.data.deliveryId, { isAwaited: () => this.isOpen });
      this.step = "over";
      this.doubt.end();
    } catch (problem) {
      this.problem = this.doubt.about(problem);
      this.step = "choice";
    }
    draw();
  });

  outcome() {
    if (this.step === "choice") return nothing;
    if (this.step === "waiting") return html`<p>Sent. Waiting for the answer…</p>`;
    const attempt = this.delivery?.attempts.at(-1);
    if (!attempt) return html`<p>The test is on its way. See the deliveries of this endpoint for the result.</p>`;
    const next = this.delivery?.nextAttemptAt;
    return html`<div class="notice ${attempt.error === null ? "ok" : "bad"}">
      ${icon(attempt.error === null ? "done" : "warn")}
      <div>
        <b>${attemptOutcome(attempt)}.</b>
        ${next ? html`<p>It is sent again on ${formatSecond(next)}.</p>` : nothing}
      </div>
    </div>`;
  }
}
