// Developers: the keys of the merchant's own programs, and the systems that are told what happens.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { toast } from "../forms/forms.js";
import { createKey, revokeKey, rotateKey } from "./key-dialogs.js";
import { keyList } from "./keys.js";
import { Page, Resource } from "../shell/page.js";
import { empty, head, states } from "../shell/parts.js";
import { go } from "../shell/router.js";
import { may, mayChange, store } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";
import { loadEndpoints } from "./webhook-calls.js";
import { createEndpoint } from "./webhook-form.js";
import { disabledReason, endpointBadge, eventList, hostOf, isEnabled } from "./webhook-words.js";

/** @typedef {import("./keys.js").ListedKey} ListedKey */
/** @typedef {import("./webhook-words.js").Endpoint} Endpoint */

const KEYS = "With a key, your own program can call the API: to read orders and figures, or to sell and redeem cards.";
const WEBHOOKS =
  "A webhook notifies another system of yours, such as bookkeeping or a loyalty programme, as soon as something happens here. Give us the address of that system, and give its operator the secret that proves that a message is from us.";

class DevelopersPage extends Page {
  keys = new Resource(this, async () => (await call(() => api.GET("/api/auth/keys"))).data);
  endpoints = new Resource(this, loadEndpoints);

  arrive() {
    if (mayChange("merchant.team.invite")) this.keys.load();
    if (may("portal.organization")) this.endpoints.load();
  }

  render() {
    return html`${head("Developers")} ${mayChange("merchant.team.invite") ? this.keysPanel() : nothing}
    ${may("portal.organization") ? this.endpointsPanel() : nothing}`;
  }

  keysPanel() {
    const ready = (/** @type {ListedKey[]} */ keys) => keyList(keys, { rotate: this.rotate, revoke: this.revoke });
    return html`<section class="panel">
      <header>
        <h2>Keys</h2>
        <button class="button primary" type="button" @click=${this.createKey}>New key</button>
      </header>
      <p class="inset explanation">${KEYS}</p>
      ${states(this.keys, { what: "The keys", rows: 3, ready })}
    </section>`;
  }

  endpointsPanel() {
    const add = html`<button class="button primary" type="button" @click=${this.add}>New endpoint</button>`;
    return html`<section class="panel">
      <header>
        <h2>Webhooks</h2>
        ${mayChange("portal.organization") ? add : nothing}
      </header>
      <p class="inset explanation">${WEBHOOKS}</p>
      ${states(this.endpoints, { what: "The endpoints", rows: 3, ready: endpointList })}
    </section>`;
  }

  createKey = once(async () => {
    await createKey();
    this.keys.load(); // it may be there without an answer
  });

  rotate = once(async (/** @type {ListedKey} */ key) => {
    await rotateKey(key);
    this.keys.load();
  });

  revoke = once(async (/** @type {ListedKey} */ key) => {
    if (await revokeKey(key)) toast(`${key.name} is revoked.`);
    this.keys.load();
  });

  async add() {
    const made = await createEndpoint();
    if (!made) return this.endpoints.load(); // it may be there without an answer
    toast("The endpoint was created. Send it a test.");
    go(endpointPath(made));
  }
}

/** @param {{id: string}} endpoint */
const endpointPath = ({ id }) => `/webhooks/${encodeURIComponent(id)}`;

/** @param {Endpoint[]} endpoints */
function endpointList(endpoints) {
  if (endpoints.length === 0)
    return empty("No endpoints yet", "An endpoint is the address of a system that receives messages.");
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

await loadSheet("/developers/webhooks.css");
customElements.define("developers-page", DevelopersPage);
