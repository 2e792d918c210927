// The frame of every page: the menu, on a phone behind a button. Before there is a session, its outline.

import { html, nothing } from "/kit/vendor/lit.js";
import { config } from "/config.js";
import { icon } from "./icons.js";
import { menu } from "./menu.js";
import { bars, statSkeletons } from "./parts.js";
import { store } from "./store.js";

/** @typedef {import("./store.js").Session} Session */

/**
 * @param {Session} session
 * @param {{page: unknown, menuOpen: boolean, signingOut: boolean, toggleMenu: (open: boolean) => void, signOut: () => void}} view
 */
export function frame(session, { page, menuOpen, signingOut, toggleMenu, signOut }) {
  /** @param {KeyboardEvent} event */
  const closeMenu = (event) => {
    if (event.key === "Escape" && menuOpen) toggleMenu(false);
  };
  return html`<a class="skip" href="#content" ?inert=${menuOpen} @click=${skip}>Skip to the content</a>
    <div class="shell" @keydown=${closeMenu}>
      ${topBar(session, menuOpen, toggleMenu)} ${side(session, menuOpen, leaveButton(signingOut, signOut))}
      <main class="content" id="content" tabindex="-1" ?inert=${menuOpen}>${page}</main>
    </div>`;
}

/** On a phone. @param {Session} session @param {boolean} menuOpen @param {(open: boolean) => void} toggleMenu */
function topBar(session, menuOpen, toggleMenu) {
  const name = nameOf(session);
  const search = html`<a class="button quiet square" href="/orders?focus=search" aria-label="Search orders"
    >${icon("search")}</a
  >`;
  return html`<header class="top">
    ${initial(name)}<b class="truncate" dir="auto">${name}</b>
    ${session.role === "VIEWER" ? html`<span class="small muted nowrap">Read only</span>` : nothing}
    ${session.permissions.includes("portal.orders") && session.merchant ? search : nothing}
    <button
      class="button quiet square"
      type="button"
      aria-expanded=${menuOpen ? "true" : "false"}
      aria-controls="side"
      aria-label="Menu"
      @click=${() => toggleMenu(!menuOpen)}
    >
      ${icon(menuOpen ? "close" : "menu")}
    </button>
  </header>`;
}

/** @param {Session} session @param {boolean} open @param {unknown} leave */
function side(session, open, leave) {
  const name = nameOf(session);
  const onlyTill = session.permissions.length === 1 && session.permissions[0] === "portal.pos";
  return html`<aside aria-label="Menu" class="side ${open ? "open" : ""}" id="side">
    <a class="who" href="/account"
      >${initial(name)}<span
        ><b class="truncate" dir="auto" title=${name}>${name}</b
        ><span class="truncate small muted" dir="auto">${roleLine(session)}</span></span
      ></a
    >
    <nav aria-label="Pages">${menu().map(menuGroup)}${onlyTill ? tillLink() : nothing}</nav>
    <footer>
      <button class="button quiet square" type="button" aria-label=${themeWord()} @click=${switchTheme}>
        ${icon("moon")}
      </button>
      ${leave}
    </footer>
  </aside>`;
}

/** @param {boolean} busy @param {() => void} signOut */
function leaveButton(busy, signOut) {
  return html`<button class="button quiet" type="button" aria-busy=${busy ? "true" : "false"} @click=${signOut}>
    ${icon("leave", { mirror: true })}Sign out
  </button>`;
}

/** @param {ReturnType<typeof menu>[number]} group */
function menuGroup({ name, entries }) {
  return html`${name ? html`<p class="group">${name}</p>` : nothing}
    <ul>
      ${entries.map(
        ({ path, icon: glyph, word }) =>
          html`<li><a href=${path} aria-current=${isCurrent(path) ? "page" : nothing}>${icon(glyph)}${word}</a></li>`,
      )}
    </ul>`;
}

function tillLink() {
  return html`<ul>
    <li><a href=${config.till} target="_blank">${icon("stores")}Open the till</a></li>
  </ul>`;
}

function themeWord() {
  return document.documentElement.dataset.theme === "dark" ? "Use light colours" : "Use dark colours";
}

async function switchTheme() {
  (await import("/kit/theme-choice.js")).switchTheme();
}

/** @param {string} path */
function isCurrent(path) {
  return location.pathname === path || location.pathname.startsWith(`${path}/`);
}

/** @param {Session} session */
const nameOf = (session) => session.merchant?.name ?? "Merchant portal";

const ROLES = { VIEWER: "Read only", FULL: "Full access", ADMIN: "Admin" };

/** @param {Session} session */
function roleLine({ user, role }) {
  const person = user ? [user.firstName, user.lastName].filter(Boolean).join(" ") || user.email : "";
  return [person, role ? ROLES[role] : user?.isAdmin && !store.session?.merchant ? "Platform" : ""]
    .filter(Boolean)
    .join(", ");
}

/** @param {string} name */
function initial(name) {
  return html`<span class="initial" aria-hidden="true">${[...name][0]?.toUpperCase() ?? ""}</span>`;
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.querySelector("main")?.focus();
}

/** The final layout without content: nothing jumps when it arrives. */
export function outline() {
  const isOverview = location.pathname === "/" || location.pathname === "/overview";
  return html`<div class="shell" aria-busy="true">
    <aside class="side"></aside>
    <main class="content">
      <div class="page-head">
        <div>
          <div class="skeleton title"></div>
          <p>&nbsp;</p>
        </div>
      </div>
      ${
        isOverview
          ? html`<div class="panel waiting"></div>
              ${statSkeletons(4)}`
          : bars(6)
      }
    </main>
  </div>`;
}
