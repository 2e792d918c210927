// Pairing a till: its name and store, then the code that the till asks for.

import { html } from "/kit/vendor/lit.js";
import { api, call } from "../shell/api.js";
import { change } from "../shell/change.js";
import { creator } from "../shell/creator.js";
import { maxLength } from "../forms/bounds.js";
import { actionDialog, confirm, dialog } from "../forms/dialogs.js";
import { field, refusal } from "../forms/forms.js";
import { nameOf } from "./store-dialog.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["ListedTill"]} Till */

const CODE_WORKS_MS = 600_000;
const LOOK_EVERY_SECONDS = 3;

/** Resolves to the new till and its code, unless none was added. @param {Schemas["RetailStore"][]} stores */
export function addTill(stores) {
  const options = stores.map((one) => /** @type {const} */ ([one.externalId, nameOf(one)]));
  const store = () =>
    options.length
      ? field({ name: "store", label: "Store", options })
      : field({ name: "store", label: "Number of the store", required: true });
  const maxlength = maxLength.createTill.name;
  const create = creator();
  return actionDialog({
    title: "Pair a till",
    verb: "Show the code",
    failed: "The till was not added.",
    content: () =>
      html`${field({ name: "name", label: "Name of the till", required: true, maxlength, hint: "Such as Counter 1" })}
      ${store()}`,
    act: async ({ name = "", store: retailStoreId = "" }) => {
      const chosen = stores.find((one) => one.externalId === retailStoreId);
      const body = { name, retailStoreId, ...(chosen && { retailStoreName: nameOf(chosen) }) };
      return (await create((params) => api.POST("/api/auth/tills", { params, body }))).data;
    },
  });
}

/** Shows a code of a till that there is. @param {Till} till */
export async function pairAgain(till) {
  const question = {
    title: `Pair ${till.name} again?`,
    text: "The device that is paired now is signed out as soon as another one uses the new code.",
    verb: "Show a new code",
    failed: "",
    act: async () => {},
  };
  if (till.pairedAt === null || (await confirm(question))) await newCode(till.id);
}

/** @param {string} id @returns {Promise<void>} */
async function newCode(id) {
  try {
    const { data } = await change(() => api.POST("/api/auth/tills/{id}/pairing", { params: { path: { id } } }));
    await showCode(data);
  } catch (problem) {
    await dialog(
      "No code",
      (close) =>
        html`${refusal(problem, "There is no new code. Nothing was changed.")}
          <footer><button class="button" type="button" @click=${() => close()}>Close</button></footer>`,
    );
  }
}

/** Shows the code until the till has used it or it is over. @param {Schemas["TillToPair"]} made */
export async function showCode(made) {
  const code = made.pairingCode;
  if (code === null) return newCode(made.id); // it was shown in an answer that did not arrive
  const end = Date.parse(made.pairingExpiresAt);
  let paired = false;
  let seconds = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const again = await dialog(`Pair ${made.name}`, (/** @type {(again?: boolean) => void} */ close, draw) => {
    timer ??= setInterval(async () => {
      if (!paired && ++seconds % LOOK_EVERY_SECONDS === 0) paired = await isPaired(made.id, end - CODE_WORKS_MS);
      draw();
    }, 1000);
    if (paired) return pairedView(made.name, close);
    return Date.now() >= end ? expiredView(close) : codeView(code, end, close);
  });
  clearInterval(timer);
  if (again) await newCode(made.id);
}

/** @param {string} id @param {number} since */
async function isPaired(id, since) {
  const list = await call(() => api.GET("/api/auth/tills")).catch(() => null);
  const pairedAt = list?.data.find((one) => one.id === id)?.pairedAt;
  return Boolean(pairedAt && Date.parse(pairedAt) > since);
}

/** @param {string} name @param {() => void} close */
function pairedView(name, close) {
  return html`<p role="status">${name} is paired and ready.</p>
    <footer><button class="button primary" type="button" @click=${() => close()}>Done</button></footer>`;
}

/** @param {(again?: boolean) => void} close */
function expiredView(close) {
  return html`<p role="status">The code has expired. No till was paired.</p>
    <footer>
      <button class="button" type="button" @click=${() => close()}>Close</button
      ><button class="button primary" type="button" @click=${() => close(true)}>Show a new code</button>
    </footer>`;
}

/** @param {string} pairingCode @param {number} end @param {() => void} close */
function codeView(pairingCode, end, close) {
  const code = pairingCode.replaceAll(/[^0-9A-Z]/g, "");
  return html`<p>Open the till on the device and enter this code.</p>
    <div class="pairing">
      <span class="mono" aria-label=${`Code ${[...code].join(" ")}`} role="text"
        >${code.slice(0, 5)}<span aria-hidden="true">&nbsp;</span>${code.slice(5)}</span
      ><span class="muted small" aria-hidden="true">Works for ${countdown(end - Date.now())}</span
      ><span class="sr">The code works for 10 minutes.</span>
    </div>
    <p class="small muted" role="status">Waiting for the till</p>
    <footer><button class="button" type="button" @click=${() => close()}>Close</button></footer>`;
}

/** Such as "9:05". @param {number} milliseconds */
function countdown(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
