// The first days of a business: what is to be done, in the order that works. Gone once all of it is done.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, call } from "./api.js";
import { icon } from "./icons.js";
import { isClosed, mayChange, store } from "./store.js";

/** @typedef {{title: string, text: string, done: boolean, href: string, action: string}} Step */

/** A done setup is not asked for again on this device. */
const key = () => `setup-done ${store.session?.merchant?.id}`;

/** Whether there may be something to do for who is signed in. */
export function isSetUp() {
  const permissions = /** @type {const} */ (["portal.gift_cards", "portal.organization", "merchant.team.invite"]);
  return isClosed() || !permissions.every(mayChange) || localStorage.getItem(key()) !== null;
}

/** The steps; null once all are done. @param {number} visits that the shop has had @returns {Promise<Step[] | null>} */
export async function loadSetup(visits) {
  const [offers, stores, tills, team] = await Promise.all([
    call(() => api.GET("/api/bff/offers")),
    call(() => api.GET("/api/bff/merchant-stores")),
    call(() => api.GET("/api/auth/tills")),
    call(() => api.GET("/api/bff/merchant/users")),
  ]);
  const steps = stepsOf({
    offer: offers.data.items.some(({ status }) => status === "AVAILABLE"),
    store: stores.data.retailStores.length > 0,
    till: tills.data.some(({ pairedAt }) => pairedAt !== null),
    shop: visits > 0,
    team: team.data.length > 1,
  });
  if (!steps.every(({ done }) => done)) return steps;
  hideSetup();
  return null;
}

export function hideSetup() {
  localStorage.setItem(key(), "yes");
}

/** @param {{offer: boolean, store: boolean, till: boolean, shop: boolean, team: boolean}} done @returns {Step[]} */
function stepsOf({ offer, store: hasStore, till, shop, team }) {
  return [
    step("Application", "The platform has approved your business.", true, "/business", "Business details"),
    step(
      "First offer",
      "A gift card with its amounts, for your shop and your tills.",
      offer,
      "/offers/new",
      "Create an offer",
    ),
    step("Store", "Where your tills stand.", hasStore, "/stores", "Add a store"),
    step(
      "Till",
      "A phone or tablet that sells and redeems cards. It is paired by a code.",
      till,
      "/stores",
      "Pair a till",
    ),
    step(
      "Shop",
      "The lines that put your gift cards into your own website.",
      shop,
      "/business#in-shop",
      "Get the lines",
    ),
    step("Team", "The people who work with you, each with their own sign-in.", team, "/team", "Invite somebody"),
  ];
}

/** @param {string} title @param {string} text @param {boolean} done @param {string} href @param {string} action @returns {Step} */
const step = (title, text, done, href, action) => ({ title, text, done, href, action });

/** @param {Step[]} steps @param {() => void} hide */
export function setupPanel(steps, hide) {
  const next = steps.find(({ done }) => !done);
  const done = steps.filter((one) => one.done).length;
  return html`<section class="panel setup" aria-labelledby="setup">
    <header>
      <h2 id="setup">Set up your business</h2>
      <span class="muted small">${done} of ${steps.length} done</span>
      <button class="button quiet" type="button" @click=${hide}>Hide this list</button>
    </header>
    <ol class="steps">
      ${steps.map((one) => stepRow(one, one === next))}
    </ol>
  </section>`;
}

/** @param {Step} one @param {boolean} next */
function stepRow({ title, text, done, href, action }, next) {
  const link = html`<a class="button ${next ? "primary" : ""}" href=${href}>${action}</a>`;
  return html`<li class=${done ? "done" : ""}>
    ${icon(done ? "done" : "open")}
    <span class="two-lines grow">
      <b>${title}<span class="sr">${done ? ", done" : ", to do"}</span></b>
      <span class="small muted">${text}</span>
    </span>
    ${done ? nothing : link}
  </li>`;
}
