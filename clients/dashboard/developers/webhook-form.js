// The dialogs in which an endpoint is made and changed, and its secret, which is shown once.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, explain } from "../shell/api.js";
import { change } from "../shell/change.js";
import { creator } from "../shell/creator.js";
import { actionDialog, dialog, STAY } from "../forms/dialogs.js";
import { field, fieldOf } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { showOnce } from "./secret-dialog.js";
import { changeEndpoint } from "./webhook-calls.js";
import { EVENTS, hostOf, seesEvents } from "./webhook-words.js";

/** @typedef {import("./webhook-words.js").Endpoint} Endpoint */
/** @typedef {import("./webhook-words.js").EventType} EventType */
/** @typedef {{url?: string, events?: string, description?: string}} Errors */

const MAX_URL_LENGTH = 500;
const MAX_DESCRIPTION_LENGTH = 200;
const EXAMPLE = "https://hooks.example.com/gift-cards";

/** Resolves to the new endpoint once its secret was shown; to undefined if none was created. */
export async function createEndpoint() {
  const create = creator();
  const made = await endpointDialog(null, {
    title: "New endpoint",
    verb: "Create the endpoint",
    failed: "No endpoint was created.",
    act: async (body) => (await create((params) => api.POST("/api/bff/webhooks", { params, body }))).data,
  });
  if (made) await showSecret(made, made.secret ?? (await replacedSecret(made)));
  return made;
}

/** Of an endpoint whose secret was shown in an answer that did not arrive, so that nobody uses it. @param {{id: string}} endpoint */
async function replacedSecret({ id }) {
  const request = { params: { path: { id } }, body: { immediately: true } };
  const replaced = await change(() => api.POST("/api/bff/webhooks/{id}/rotation", request)).catch(() => null);
  return replaced?.data.secret ?? null;
}

/** Resolves to whether it was changed, once a new secret was shown. @param {Endpoint} endpoint */
export async function editEndpoint(endpoint) {
  const changed = await endpointDialog(endpoint, {
    title: `Change ${hostOf(endpoint)}`,
    verb: "Save",
    failed: "The endpoint was not changed.",
    act: ({ url, events, description }) =>
      changeEndpoint(endpoint.id, { events, description, ...(url !== endpoint.url && { url }) }),
  });
  if (!changed) return false;
  const isElsewhere = changed.url !== endpoint.url;
  if (changed.secret || isElsewhere) await showSecret(changed, changed.secret ?? (await replacedSecret(changed)));
  return true;
}

/**
 * @template T
 * @param {Endpoint | null} endpoint null: a new one
 * @param {object} action
 * @param {string} action.title
 * @param {string} action.verb
 * @param {string} action.failed
 * @param {(body: {url: string, events: EventType[], description: string | null}) => Promise<T>} action.act
 */
function endpointDialog(endpoint, { act, ...action }) {
  const chosen = new Set(endpoint?.events ?? []);
  /** @type {Errors} */
  let errors = {};
  return actionDialog({
    ...action,
    content: (draw) => endpointFields(endpoint, chosen, errors, draw),
    act: async ({ url = "", description = "" }) => {
      errors = chosen.size === 0 ? { events: "Choose at least one event." } : {};
      if (errors.events) throw STAY;
      try {
        return await act({ url, events: [...chosen], description: description || null });
      } catch (problem) {
        errors = errorsOf(problem);
        throw Object.keys(errors).length > 0 ? STAY : problem;
      }
    },
  });
}

/** A refusal that names a field stands at it. @param {unknown} problem @returns {Errors} */
function errorsOf(problem) {
  const name = fieldOf(problem);
  return name === "url" || name === "events" || name === "description" ? { [name]: explain(problem) } : {};
}

/** @param {Endpoint | null} endpoint @param {Set<EventType>} chosen @param {Errors} errors @param {() => void} draw */
function endpointFields(endpoint, chosen, errors, draw) {
  const hint = endpoint
    ? "A new address gets a new secret. Messages that have not been accepted yet are sent there."
    : "The operator of your system gives you this address.";
  return html`<div class="stack">
    ${field({
      name: "url",
      label: "Address (URL)",
      type: "url",
      inputmode: "url",
      value: endpoint?.url,
      placeholder: EXAMPLE,
      required: true,
      maxlength: MAX_URL_LENGTH,
      hint,
      error: errors.url,
    })}
    ${eventsField(chosen, errors.events, draw)}
    ${field({
      name: "description",
      label: "Description (optional)",
      value: endpoint?.description ?? "",
      maxlength: MAX_DESCRIPTION_LENGTH,
      hint: "What your team calls this system, such as Loyalty programme",
      error: errors.description,
    })}
  </div>`;
}

/** @param {Set<EventType>} chosen @param {string | undefined} error @param {() => void} draw */
function eventsField(chosen, error, draw) {
  return html`<fieldset
    class="powers"
    aria-invalid=${error ? "true" : "false"}
    aria-describedby=${error ? "events-error" : nothing}
    tabindex="-1"
  >
    <legend>Send a message when</legend>
    ${EVENTS.map((event) => eventChoice(event, chosen, draw))}
    ${error ? html`<p class="error" id="events-error" role="alert">${error}</p>` : nothing}
  </fieldset>`;
}

/** @param {(typeof EVENTS)[number]} event @param {Set<EventType>} chosen @param {() => void} draw */
function eventChoice({ type, sentence }, chosen, draw) {
  const isSeen = seesEvents([type]);
  /** @param {Event} change */
  const toggle = (change) => {
    if (/** @type {HTMLInputElement} */ (change.target).checked) chosen.add(type);
    else chosen.delete(type);
    draw();
  };
  return html`<label class="check ${isSeen ? "" : "faint"}">
    <input type="checkbox" value=${type} .checked=${chosen.has(type)} ?disabled=${!isSeen} @change=${toggle} />
    <span
      >${sentence}<span class="small muted block"
        >${isSeen ? html`<span class="mono">${type}</span>` : "Your role does not show you this."}</span
      ></span
    >
  </label>`;
}

/** @param {{url: string}} endpoint @param {string | null} secret null: it did not arrive */
export function showSecret(endpoint, secret) {
  const title = `The secret of ${hostOf(endpoint)}`;
  if (!secret) return dialog(title, (close) => lostSecret(() => close()));
  return showOnce({
    title,
    text: "Your system needs it to tell our messages from forged ones.",
    label: "Secret",
    secret,
  });
}

/** @param {() => void} close */
function lostSecret(close) {
  return html`<div class="notice warn" role="alert">
      ${icon("warn")}
      <div>
        <b>Its secret was lost on the way, and nobody has it.</b>
        <p>Your system cannot check our messages. Replace the secret, and give your system the new one.</p>
      </div>
    </div>
    <footer><button class="button" type="button" @click=${close}>Close</button></footer>`;
}
