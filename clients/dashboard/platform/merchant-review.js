// What a platform administrator looks at before a decision: documents, changes of identity, and a checklist.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatDateTime } from "/kit/time.js";
import { wordOf } from "/kit/badge.js";
import { formatFee } from "../payouts/fees.js";
import { fieldName, modeWord } from "./history.js";
import { icon } from "../shell/icons.js";
import { rowButton } from "../shell/parts.js";
import { addressOf, nameOf } from "./people.js";

/** @typedef {import("./merchant-decisions.js").Merchant} Merchant */
/** @typedef {import("./people.js").People} People */
/** @typedef {Merchant["profile"]["documents"][number]} MerchantDocument */
/** @typedef {Merchant["identityChanges"][number]} IdentityChange */

/** @type {Record<string, string>} */
const KINDS = {
  REGISTRATION: "Registration certificate",
  BANK_STATEMENT: "Bank statement",
  IDENTITY: "Proof of identity",
  OTHER: "Another document",
};

/**
 * @typedef {object} Check
 * @property {boolean} done
 * @property {string} name
 * @property {string} text
 * @property {string} open what is said before an approval without it
 * @property {"selling" | "settlement"} [set] where it is set
 * @property {boolean} [optional] whether a business can go without
 */

/** @param {Merchant} merchant @param {ReadonlySet<string>} seen addresses of documents @returns {Check[]} */
export function checksOf(merchant, seen) {
  const { documents, currency } = merchant.profile;
  const opened = documents.filter(({ url }) => seen.has(url)).length;
  const fee = formatFee(merchant.fees.percentBps, merchant.fees.fixedMinor, currency ?? "EUR");
  const { status } = merchant.verification;
  return [
    {
      done: documents.length > 0 && opened === documents.length,
      name: "Documents seen",
      text: documents.length === 0 ? "None were given" : `${opened} of ${documents.length} opened`,
      open: documents.length === 0 ? "No documents were given." : "Not every document was opened.",
    },
    {
      done: status?.toLowerCase() === "approved",
      name: "Company verified",
      text: status ? wordOf(status) : "Not started",
      open: "The verifier has not approved the company.",
    },
    {
      done: merchant.identityChanges.length === 0,
      name: "Changes reviewed",
      text: merchant.identityChanges.length === 0 ? "Nothing is open" : `${merchant.identityChanges.length} to review`,
      open: "Changes of its identity are not reviewed.",
    },
    {
      done: merchant.networkMerchantId !== null,
      name: "Network account",
      text: merchant.networkMerchantId ? `${merchant.networkMerchantId}, looked up when it was set` : "None",
      open: "Without a network account, the business cannot sell.",
      set: "selling",
    },
    {
      done: merchant.settlementMode !== null,
      name: "Settled",
      text: modeWord(merchant.settlementMode),
      open: "The settlement mode is not set: both sales and redemptions would be paid.",
      set: "settlement",
    },
    { done: fee !== "", name: "Fee", text: fee || "None", open: "No fee is set.", set: "settlement", optional: true },
  ];
}

/**
 * What is left to set for a business that is to sell, of which an approval asks for more.
 * @param {string} title
 * @param {readonly Check[]} checks
 * @param {(what: "selling" | "settlement") => void} edit
 */
export function checklist(title, checks, edit) {
  const open = checks.filter(({ done }) => !done).length;
  return html`<section class="panel">
    <header>
      <h2>${title}</h2>
      <span class="small muted">${open === 0 ? "All done" : `${open} to do`}</span>
    </header>
    <ul class="rows checks">
      ${checks.map(
        ({ done, name, text, set }) =>
          html`<li class=${done ? "done" : "open"}>
            ${icon(done ? "done" : "info")}<span class="sr">${done ? "Done: " : "To do: "}</span>
            <span class="grow">${name}</span><span class="muted wrap">${text}</span>
            ${done || !set ? nothing : rowButton({ word: "Set", label: `Set: ${name}`, act: () => edit(set) })}
          </li>`,
      )}
    </ul>
  </section>`;
}

/**
 * @param {readonly MerchantDocument[]} documents
 * @param {ReadonlySet<string>} seen
 * @param {(event: Event, document: MerchantDocument) => void} open
 */
export function documentList(documents, seen, open) {
  return html`<section class="panel">
    <header><h2>Documents</h2></header>
    ${
      documents.length === 0
        ? html`<p class="none faint">None were given</p>`
        : html`<ul class="rows">
            ${documents.map((document) => documentRow(document, seen.has(document.url), open))}
          </ul>`
    }
  </section>`;
}

/** @param {MerchantDocument} document @param {boolean} isSeen @param {(event: Event, document: MerchantDocument) => void} open */
function documentRow(document, isSeen, open) {
  const name = document.name || "Document";
  return html`<li>
    <span class="two-lines grow">
      <b class="wrap" dir="auto">${name}</b>
      <span class="small muted">${KINDS[document.type] ?? wordOf(document.type)}</span>
    </span>
    ${isSeen ? html`<span class="small muted">Opened</span>` : nothing}
    ${document.link ? openLink(document, name, open) : elsewhere(document, isSeen, open)}
  </li>`;
}

/** @param {MerchantDocument} document @param {string} name @param {(event: Event, document: MerchantDocument) => void} open */
function openLink(document, name, open) {
  return html`<a
    class="button"
    href=${document.link}
    target="_blank"
    rel="noopener"
    aria-label=${`Open ${name}`}
    @click=${(/** @type {Event} */ event) => open(event, document)}
    >Open</a
  >`;
}

/** A document that the merchant has not uploaded: an address that is not followed by a click. @param {MerchantDocument} document @param {boolean} isSeen @param {(event: Event, document: MerchantDocument) => void} open */
function elsewhere(document, isSeen, open) {
  return html`<span class="small muted wrap">Kept elsewhere: ${document.url || "no address"}</span>
    ${isSeen ? nothing : html`<button class="button" type="button" @click=${(/** @type {Event} */ event) => open(event, document)}>Seen</button>`}`;
}

/**
 * Changes since the verification, old and new.
 * @param {Merchant} merchant
 * @param {People} people
 * @param {() => void} review
 */
export function identityReview({ identityChanges }, people, review) {
  return html`<section class="panel">
    <header>
      <h2>Changed since it was verified</h2>
      <button class="button primary" type="button" @click=${review}>Reviewed</button>
    </header>
    <p class="none muted">Nothing is paid out until somebody has reviewed this.</p>
    <ul class="rows">
      ${identityChanges.map((change) => identityChange(change, people))}
    </ul>
  </section>`;
}

/** @param {IdentityChange} change @param {People} people */
function identityChange({ field, from, to, at, by }, people) {
  return html`<li>
    <dl class="grow two old-new">
      <div>
        <dt class="small muted">${fieldName(field)}, before</dt>
        <dd class="wrap" dir="auto">${from ?? html`<span class="faint">Not known</span>`}</dd>
      </div>
      <div>
        <dt class="small muted">${fieldName(field)}, now</dt>
        <dd class="wrap" dir="auto">${to ? html`<b>${to}</b>` : html`<span class="faint">Nothing</span>`}</dd>
      </div>
    </dl>
    <span class="amounts small muted">
      <time datetime=${at}>${formatDateTime(at)}</time>
      <span dir="auto">${nameOf(by, people, "A former member")}</span>
      <span class="wrap">${addressOf(by, people)}</span>
    </span>
  </li>`;
}
