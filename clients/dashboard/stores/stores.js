// Stores and tills: the shops that the card network knows, and the tills that are paired with them.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { badge, toneBadge } from "/kit/badge.js";
import { formatDate, formatDateTime } from "/kit/time.js";
import { property } from "/portal-api/errors.js";
import { api, call } from "../shell/api.js";
import { change, goneIsDone } from "../shell/change.js";
import { confirm } from "../forms/dialogs.js";
import { toast } from "../forms/forms.js";
import { Page, Resource } from "../shell/page.js";
import { empty, formatCount, head, nothingYet, rowButton, states } from "../shell/parts.js";
import { editStore, nameOf } from "./store-dialog.js";
import { isClosed, isStopped, may, mayChange, mayEquip, store } from "../shell/store.js";
import { addTill, pairAgain, showCode } from "./till-dialogs.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["RetailStore"]} Store */
/** @typedef {Schemas["ListedTill"]} Till */

class StoresPage extends Page {
  stores = new Resource(this, loadStores);
  tills = new Resource(this, async () => (await call(() => api.GET("/api/auth/tills"))).data);

  arrive() {
    this.stores.load();
    if (mayChange("merchant.team.invite")) this.tills.load();
  }

  /** Tills stand in stores: the first one comes before them. */
  get hasNoStore() {
    return this.stores.data?.length === 0 && mayEquip("portal.organization");
  }

  /** @param {"primary" | ""} look */
  addButton(look) {
    const add = () => this.edit(null);
    return html`<button class="button ${look}" type="button" @click=${add}>Add a store</button>`;
  }

  render() {
    const pair = html`<button class="button primary" type="button" @click=${this.addTill}>Pair a till</button>`;
    const actions = this.hasNoStore ? this.addButton("primary") : mayPair() ? pair : nothing;
    return html`${head("Stores and tills", "Where cards are sold and redeemed", actions)}
    ${mayChange("merchant.team.invite") ? this.tillsPanel() : nothing} ${this.storesPanel()}`;
  }

  tillsPanel() {
    const ready = (/** @type {Till[]} */ all) => {
      const tills = all.filter((till) => !till.revokedAt);
      if (tills.length === 0) return noTills(this.hasNoStore);
      return html`<ul class="rows">
        ${tills.map((till) => this.till(till))}
      </ul>`;
    };
    return html`<section class="panel">
      <header><h2>Tills</h2></header>
      ${states(this.tills, { what: "Tills", rows: 3, ready })}
    </section>`;
  }

  storesPanel() {
    const ready = (/** @type {Store[]} */ stores) =>
      stores.length === 0
        ? nothingYet("stores", "A store is where your tills stand.")
        : html`<ul class="rows">
            ${stores.map((one) => this.store(one))}
          </ul>`;
    return html`<section class="panel">
      <header>
        <h2>Stores</h2>
        ${mayEquip("portal.organization") && !this.hasNoStore ? this.addButton("") : nothing}
      </header>
      ${states(this.stores, { what: "Stores", rows: 4, ready })}
    </section>`;
  }

  /** @param {Store} one */
  store(one) {
    const name = nameOf(one);
    const status = property(one, "status");
    const edit = rowButton({ word: "Edit", label: `Edit ${name}`, act: () => this.edit(one) });
    return html`<li>
      <span class="two-lines grow"
        ><b class="wrap" dir="auto">${name}</b><span class="small muted wrap" dir="auto">${aboutStore(one)}</span></span
      >
      ${typeof status === "string" && status !== "ACTIVE" ? badge(status) : nothing}
      ${mayEquip("portal.organization") ? edit : nothing}
    </li>`;
  }

  /** @param {Till} till */
  till(till) {
    const word = till.pairedAt ? "Pair again" : "Pair";
    const pair = rowButton({ word, label: `${word}: ${till.name}`, act: () => this.pairAgain(till) });
    const { timeZone } = store;
    const seen = till.lastSeenAt
      ? `last seen ${formatDateTime(till.lastSeenAt, timeZone)}`
      : `added ${formatDate(till.createdAt, timeZone)}`;
    return html`<li>
      <span class="two-lines grow"
        ><span><b class="wrap" dir="auto">${till.name}</b> ${tillBadge(till)}</span
        ><span class="small muted wrap" dir="auto">${till.retailStoreName ?? till.retailStoreId} · ${seen}</span></span
      >
      <span class="actions">
        ${mayPair() ? pair : nothing}
        ${rowButton({ word: "Revoke", label: `Revoke ${till.name}`, act: () => this.revoke(till) })}
      </span>
    </li>`;
  }

  async addTill() {
    const made = await addTill(this.stores.data ?? []);
    this.tills.load();
    if (!made) return;
    await showCode(made);
    this.tills.load();
  }

  pairAgain = once(async (/** @type {Till} */ till) => {
    await pairAgain(till);
    this.tills.load();
  });

  /** @param {Till} till */
  async revoke(till) {
    const done = await confirm({
      title: `Revoke ${till.name}?`,
      text: "The till stops selling and redeeming immediately. To use it again, pair it again.",
      verb: `Revoke ${till.name}`,
      failed: "The till was not revoked. It works as before.",
      act: () =>
        change(() => api.DELETE("/api/auth/tills/{id}", { params: { path: { id: till.id } } })).catch(goneIsDone),
    });
    if (!done) return;
    toast(`${till.name} is revoked.`);
    this.tills.load();
  }

  /** @param {Store | null} one */
  async edit(one) {
    if (await editStore(one)) toast("The store was saved.");
    this.stores.load(); // it may be there without an answer
  }
}

/**
 * The stores. The API answers with none where the card network fails, too; whether it does, the offers tell, which are read
 * from the same network.
 */
async function loadStores() {
  const { retailStores } = (await call(() => api.GET("/api/bff/merchant-stores"))).data;
  if (retailStores.length === 0 && may("portal.gift_cards")) await call(() => api.GET("/api/bff/offers"));
  return retailStores;
}

/** Whether tills can be paired: none of a business sells that is suspended or closed. */
const mayPair = () => mayEquip("merchant.team.invite") && !isStopped();

/** @param {boolean} needsStore */
function noTills(needsStore) {
  if (isStopped() && !isClosed()) return empty("No tills", "Tills can be paired again once your business is active.");
  const what = "A till is a phone or a tablet that sells and redeems cards.";
  return nothingYet("tills", needsStore ? `${what} It stands in a store: add one first.` : what);
}

/** @param {Store} one */
function aboutStore({ address1, address2, postcode, city, cashRegisters: count }) {
  const address = [address1, address2, [postcode, city].filter(Boolean).join(" ")].filter(Boolean).join(", ");
  const registers = count > 0 && `${formatCount(count)} ${count === 1 ? "register" : "registers"}`;
  return [address, registers].filter(Boolean).join(" · ");
}

/** @param {Till} till */
function tillBadge({ pairedAt, expiresAt }) {
  if (!pairedAt) return toneBadge("neutral", "Not paired");
  const over = expiresAt !== null && Date.parse(expiresAt) < Date.now();
  return over ? toneBadge("neutral", "Expired") : toneBadge("ok", "Paired");
}

customElements.define("stores-page", StoresPage);
