// The first days of a business: what is to be done, in the order that works. Gone once all of it is done.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, call } from "../shell/api.js";
import { icon } from "../shell/icons.js";
import { isEmpty } from "./overview-figures.js";
import { isStopped, mayChange, store } from "../shell/store.js";

/** @typedef {{title: string, text: string, done: boolean, href: string, action: string}} Step */

/** A done setup is not asked for again on this device. */
const key = () => `setup-done ${store.session?.merchant?.id}`;

/** Whether there may be something to do for who is signed in. */
export function isSetUp() {
  const permissions = /** @type {const} */ (["portal.gift_cards", "portal.organization", "merchant.team.invite"]);
  return isStopped() || !permissions.every(mayChange) || localStorage.getItem(key()) !== null;
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
    draft: offers.data.items.find(({ status }) => status === "AWAITING_APPROVAL"),
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

/**
 * @param {{offer: boolean, draft?: {id: string, name: string}, store: boolean, till: boolean, shop: boolean, team: boolean}} done
 * @returns {Step[]}
 */
function stepsOf({ offer, draft, store: hasStore, till, shop, team }) {
  return [
    step("Application", "The platform has approved your business.", true, "/business", "Business details"),
    draft && !offer
      ? step("First offer", `${draft.name} is a draft. Nobody can buy it yet.`, false, "/offers", "Put it on sale")
      : step(
          "First offer",
          "A gift card with its amounts, for your shop and your tills.",
          offer,
          "/offers/new",
          "Create an offer",
        ),
    step("Store", "Where your tills stand.", hasStore, "/stores", "Add a store"),
    step(
      "Till",
      hasStore || till
        ? "A phone or tablet that sells and redeems cards. It is paired by a code."
        : "A phone or tablet that sells and redeems cards. It stands in a store: add one first.",
      till,
      "/stores",
      hasStore || till ? "Pair a till" : "",
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

/** Once most is done, the list stands folded below what has happened since. */
const FOLDS_FROM = 4;

/** @param {{steps: Step[] | null, figures: {data?: import("./overview-figures.js").Figures}, hideSetup(): void}} page */
export function setupPanel(page) {
  const { steps, figures } = page;
  if (!steps) return nothing;
  const below = figures.data !== undefined && !isEmpty(figures.data);
  const next = steps.find(({ done }) => !done);
  const done = steps.filter((one) => one.done).length;
  const title = html`<h2 id="setup">Set up your business</h2>
    <span class="muted small">${done} of ${steps.length} done</span>`;
  const button = html`<button class="button quiet" type="button" @click=${() => page.hideSetup()}>
    Hide this list
  </button>`;
  const list = html`<ol class="steps">
    ${steps.map((one) => stepRow(one, one === next && !below))}
  </ol>`;
  if (below && done >= FOLDS_FROM)
    return html`<section class="panel setup" aria-labelledby="setup">
      <details>
        <summary>${title}</summary>
        ${list}
        <div class="inset">${button}</div>
      </details>
    </section>`;
  return html`<section class="panel setup" aria-labelledby="setup">
    <header>${title} ${button}</header>
    ${list}
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
    ${done || !action ? nothing : link}
  </li>`;
}
