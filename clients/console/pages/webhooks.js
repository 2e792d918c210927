// A receiver of webhooks on this machine, in place of a merchant's system: its messages, newest first, and how it answers.

import { once } from "/kit/once.js";
import { config } from "/config.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { send } from "../control.js";
import { LivePage, skeleton, statusBadge, timeOfDay } from "../live-page.js";

/** @typedef {{receivedAt: string, headers: Record<string, string>, body: string, verified: boolean | null, status: number}} Message */
/** @typedef {{hasSecret: boolean, status: number, delayMilliseconds: number, messages: Message[]}} Receiver */

const PATH = "/__local/webhooks/receiver/console";

/** @type {{name: string, status: number, delayMilliseconds: number}[]} */
const ANSWERS = [
  { name: "Accepts each message (204)", status: 204, delayMilliseconds: 0 },
  { name: "Fails (500)", status: 500, delayMilliseconds: 0 },
  { name: "Wants no more messages (410)", status: 410, delayMilliseconds: 0 },
  { name: "Accepts after 3 seconds", status: 204, delayMilliseconds: 3000 },
  { name: "Answers too late, after 12 seconds", status: 204, delayMilliseconds: 12_000 },
];

/** @extends {LivePage<Receiver>} */
class WebhooksPage extends LivePage {
  static properties = { ...LivePage.properties, problem: { state: true }, said: { state: true } };

  constructor() {
    super();
    this.problem = "";
    this.said = "";
  }

  get source() {
    return PATH;
  }

  run = once(async (/** @type {string} */ problem, /** @type {() => Promise<unknown>} */ act) => {
    this.problem = "";
    this.said = "";
    try {
      await act();
      await this.refresh();
    } catch {
      this.problem = problem;
    }
  });

  /** @param {SubmitEvent} event */
  setSecret(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const secret = String(new FormData(form).get("secret") ?? "").trim();
    this.run("This is not a secret: secrets begin with whsec_. Nothing was changed.", async () => {
      await send("PUT", PATH, { secret: secret || null });
      form.reset();
      this.said = secret ? "Messages are verified with this secret." : "Messages are not verified.";
    });
  }

  /** @param {Event} event */
  setAnswer(event) {
    const chosen = ANSWERS[Number(/** @type {HTMLSelectElement} */ (event.target).value)];
    if (!chosen) return;
    const { status, delayMilliseconds } = chosen;
    this.run("The answer was not set. Try again.", () => send("PUT", PATH, { status, delayMilliseconds }));
  }

  render() {
    const clear = () => this.run("The receiver was not reset. Try again.", () => send("DELETE", PATH));
    return html` <header class="head">
        <h1 tabindex="-1">Webhooks</h1>
        ${this.data?.messages.length ? html`<button class="button" @click=${clear}>Reset the receiver</button>` : nothing}
      </header>
      <p class="muted">
        This address receives webhooks on this machine, in place of a merchant's system. Create an endpoint with it in
        the dashboard, and enter the endpoint's secret here.
      </p>
      <p class="panel address"><span class="mono wrap">${config.api}${PATH}</span></p>
      ${this.renderFailure()}
      ${this.problem ? html`<p class="notice bad" role="alert"><span aria-hidden="true">✕</span><span>${this.problem}</span></p>` : nothing}
      ${this.data === null ? skeleton() : [this.renderSettings(this.data), renderMessages(this.data.messages)]}`;
  }

  /** @param {Receiver} receiver */
  renderSettings({ hasSecret, status, delayMilliseconds }) {
    const present = ANSWERS.findIndex((one) => one.status === status && one.delayMilliseconds === delayMilliseconds);
    return html`<div class="panel receiver">
      <form class="field" @submit=${this.setSecret}>
        <label for="secret">Secret</label>
        <span class="with-button"
          ><input
            class="input mono"
            id="secret"
            name="secret"
            autocomplete="off"
            spellcheck="false"
            placeholder=${hasSecret ? "Another secret" : "whsec_…"}
            aria-describedby="secret-hint"
          /><button class="button">Check messages</button></span
        >
        <span class="hint" id="secret-hint" role="status"
          >${this.said || (hasSecret ? "Messages are verified. Without a secret, they are not." : "Without it, signatures are not verified.")}</span
        >
      </form>
      <div class="field">
        <label for="answer">Answer</label>
        <select class="input" id="answer" @change=${this.setAnswer}>
          ${present < 0 ? html`<option selected>${status}, after ${delayMilliseconds} ms</option>` : nothing}
          ${ANSWERS.map(({ name }, index) => html`<option value=${index} .selected=${index === present}>${name}</option>`)}
        </select>
        <span class="hint">It applies from the next message on.</span>
      </div>
    </div>`;
  }
}

/** @param {Message[]} messages */
function renderMessages(messages) {
  if (messages.length === 0)
    return html`<div class="panel empty">
      <b>No messages yet</b>
      <p>Tests, sales and redemptions appear here. The latest 100 are kept.</p>
    </div>`;
  const shown = messages.map((message, index) => ({ message, number: index + 1 })).toReversed();
  return html`<ul class="panel calls messages" aria-label="Messages">
    ${shown.map(
      ({ message, number }) =>
        html`<li>
          <details>
            <summary>
              <span class="faint number">${number}</span>
              <span class="target">${timeOfDay(message.receivedAt)}</span>
              <b class="mono wrap">${typeOf(message)}</b>
              <span class="badges">${verifiedBadge(message)} ${statusBadge(message.status)}</span>
            </summary>
            <pre class="mono" tabindex="0" aria-label="Headers and body of message ${number}">${describe(message)}</pre>
          </details>
        </li>`,
    )}
  </ul>`;
}

/** @param {Message} message */
function verifiedBadge({ verified }) {
  if (verified === null) return html`<span class="badge">Not checked</span>`;
  return verified
    ? html`<span class="badge ok">Verified</span>`
    : html`<span class="badge bad">Not signed with the secret</span>`;
}

/** @param {string} body */
function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** @param {Message} message */
function typeOf({ body }) {
  const content = parsed(body);
  if (!content?.type) return "Not a message of the portal";
  return content.test ? `${content.type}, a test` : content.type;
}

/** Headers and body, as text. @param {Message} message */
function describe({ headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const content = parsed(body);
  return `${lines.join("\n")}\n\n${content === null ? body : JSON.stringify(content, null, 2)}`;
}

customElements.define("x-webhooks-page", WebhooksPage);
