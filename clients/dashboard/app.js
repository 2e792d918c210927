// The dashboard: session, menu, and the page of the address.

import { html, LitElement, nothing } from "/kit/vendor/lit.js";
import { config } from "/config.js";
import { api, call, explain, onSessionEnd, shown } from "./api.js";
import { icon } from "./icons.js";
import { firstPage, menu } from "./menu.js";
import { bars, statSkeletons } from "./parts.js";
import { followLink } from "./router.js";
import { isStopped, loadSession, store } from "./store.js";
import { loadStyles } from "./styles.js";

/** Pages: path, element, module. A part of a path in braces becomes a parameter. */
const PAGES = /** @type {const} */ ([
  ["/overview", "overview-page", () => import("./pages/overview.js"), "Overview"],
  ["/orders", "orders-page", () => import("./pages/orders.js"), "Orders"],
  ["/orders/{id}", "order-page", () => import("./pages/order.js"), "Order"],
  ["/gift-cards", "cards-page", () => import("./pages/cards.js"), "Gift cards"],
  ["/offers", "offers-page", () => import("./pages/offers.js"), "Offers"],
  ["/offers/{id}", "offer-page", () => import("./pages/offer.js"), "Offer"],
  ["/payouts", "payouts-page", () => import("./pages/payouts.js"), "Payouts"],
  ["/payouts/{id}", "payout-page", () => import("./pages/payout.js"), "Payout"],
  ["/reports", "reports-page", () => import("./pages/reports.js"), "Reports"],
  ["/stores", "stores-page", () => import("./pages/stores.js"), "Stores and tills"],
  ["/team", "team-page", () => import("./pages/team.js"), "Team"],
  ["/business", "business-page", () => import("./pages/business.js"), "Business details"],
  ["/application", "application-page", () => import("./pages/application.js"), "Application"],
  ["/account", "account-page", () => import("./pages/account.js"), "Your account"],
  ["/start", "start-page", () => import("./pages/start.js"), "Welcome"],
  ["/invite", "start-page", () => import("./pages/start.js"), "Invitation"],
  ["/merchants", "merchants-page", () => import("./pages/merchants.js"), "Merchants"],
  ["/merchants/{id}", "merchant-page", () => import("./pages/merchant.js"), "Merchant"],
  ["/payouts-due", "payouts-due-page", () => import("./pages/payouts-due.js"), "Payouts due"],
  ["/payouts-due/run", "payout-run-page", () => import("./pages/payout-run.js"), "Payout run"],
  ["/payouts-due/{id}", "payout-due-page", () => import("./pages/payout-due.js"), "Payout"],
]);

class PortalApp extends LitElement {
  /** @type {"starting" | "failed" | "signed-out" | "signed-in"} */
  state = "starting";
  failure = "";
  /** @type {import("./page.js").Page | null} */
  page = null;
  pagePath = "";
  menuOpen = false;
  /** What the merchant may not do. @type {{title: string, text: string} | null} */
  stopped = null;
  /** Until there is a new session. @type {Promise<void> | null} */
  signingIn = null;

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    document.addEventListener("click", followLink);
    addEventListener("popstate", () => this.route());
    addEventListener("route", () => this.route());
    addEventListener("session-changed", () => this.start());
    addEventListener("theme-choice", () => this.requestUpdate());
    onSessionEnd(() => this.askToSignIn());
    this.start();
  }

  async start() {
    try {
      await loadSession();
      shown.merchant = store.session?.merchant?.id;
      // Properties of an element are lost if it is rendered before it is defined.
      if (!store.session) await Promise.all([import("./sign-in.js"), loadStyles()]);
      this.stopped = isStopped() ? (await import("./restriction.js")).restriction() : null;
      this.state = store.session ? "signed-in" : "signed-out";
      if (store.session) await this.route();
      else document.title = "Sign in · Merchant portal";
    } catch (problem) {
      await loadStyles().catch(() => {}); // without them the message is plain text
      this.state = "failed";
      this.failure = explain(problem);
    }
    this.requestUpdate();
  }

  /** Shows the page of the address. @returns {Promise<void>} */
  async route() {
    if (!store.session) return;
    this.menuOpen = false;
    const { pathname, search } = location;
    if (pathname === "/" || (pathname === "/start" && firstPage() !== "/start")) {
      history.replaceState(null, "", firstPage());
      return this.route();
    }
    const found = find(pathname);
    if (!found) {
      this.page = null;
      this.pagePath = pathname;
      document.title = "Not found · Merchant portal";
      return this.requestUpdate();
    }
    const {
      entry: [, tag, load, title],
      params,
    } = found;
    try {
      await Promise.all([load(), ...(pathname === "/overview" ? [] : [loadStyles()])]);
    } catch {
      this.failure = "This page could not be loaded. Check the network and reload.";
      this.state = "failed";
      return this.requestUpdate();
    }
    if (location.pathname !== pathname) return; // the address changed while the page was loaded
    const moved = this.pagePath !== pathname;
    if (moved || !this.page) {
      this.page = /** @type {import("./page.js").Page} */ (document.createElement(tag));
      this.pagePath = pathname;
      document.title = `${title} · ${store.session.merchant?.name ?? "Merchant portal"}`;
    }
    this.page.show(params, new URLSearchParams(search));
    this.requestUpdate();
    if (!moved || this.state === "starting") return;
    await this.updateComplete;
    scrollTo(0, 0);
    await this.page?.updateComplete;
    this.page?.querySelector("h1")?.focus({ preventScroll: true });
  }

  /** Asks to sign in over the page, which keeps what was typed. */
  askToSignIn() {
    this.signingIn ??= this.signInAgain().finally(() => (this.signingIn = null));
    return this.signingIn;
  }

  async signInAgain() {
    const [{ signInOverPage }] = await Promise.all([import("./sign-in.js"), loadStyles()]);
    await signInOverPage(store.session?.user?.email ?? "");
    await loadSession();
    this.requestUpdate();
  }

  async signOut() {
    await call(() => api.DELETE("/api/auth/session"), { signIn: false }).catch(() => {});
    sessionStorage.clear();
    location.assign("/");
  }

  render() {
    if (this.state === "failed")
      return html`<main class="alone">
        <h1>The portal could not be opened</h1>
        <p>${this.failure}</p>
        <p><button class="button primary" @click=${() => location.reload()}>Try again</button></p>
      </main>`;
    if (this.state === "signed-out") return html`<sign-in .done=${() => this.start()}></sign-in>`;
    if (this.state === "starting") return this.outline();
    return this.shell(
      this.page ??
        html`<header class="page-head">
          <div>
            <h1 tabindex="-1">There is no such page</h1>
            <p class="muted">Choose one from the menu.</p>
          </div>
        </header>`,
    );
  }

  /** The final layout without content: nothing jumps when it arrives. */
  outline() {
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
          location.pathname === "/" || location.pathname === "/overview"
            ? html`<div class="panel waiting"></div>
                ${statSkeletons(4)}`
            : bars(6)
        }
      </main>
    </div>`;
  }

  /** @param {unknown} page */
  shell(page) {
    const session = store.session;
    if (!session) return nothing;
    const name = session.merchant?.name ?? "Merchant portal";
    const { stopped } = this;
    return html`<a class="skip" href="#content" @click=${skip}>Skip to the content</a>
      <div class="shell">
        <header class="top">
          ${initial(name)}<b class="truncate" dir="auto">${name}</b
          >${session.role === "VIEWER" ? html`<span class="small muted nowrap">Read only</span>` : nothing}
          ${session.permissions.includes("portal.orders") && session.merchant ? html`<a class="button quiet square" href="/orders?focus=search" aria-label="Search orders">${icon("search")}</a>` : nothing}
          <button
            class="button quiet square"
            type="button"
            aria-expanded=${this.menuOpen ? "true" : "false"}
            aria-controls="side"
            aria-label="Menu"
            @click=${() => {
              this.menuOpen = !this.menuOpen;
              this.requestUpdate();
            }}
          >
            ${icon(this.menuOpen ? "close" : "menu")}
          </button>
        </header>
        <aside aria-label="Menu" class="side ${this.menuOpen ? "open" : ""}" id="side" @keydown=${this.closeMenu}>
          <a class="who" href="/account"
            >${initial(name)}<span
              ><b class="truncate" dir="auto" title=${name}>${name}</b
              ><span class="truncate small muted" dir="auto">${roleLine(session)}</span></span
            ></a
          >
          <nav aria-label="Pages">
            ${menu().map(
              (group) =>
                html`${group.name ? html`<p class="group" id=${`group-${group.name}`}>${group.name}</p>` : nothing}
                  <ul>
                    ${group.entries.map((entry) => html`<li><a href=${entry.path} aria-current=${isCurrent(entry.path) ? "page" : nothing}>${icon(entry.icon)}${entry.word}</a></li>`)}
                  </ul>`,
            )}
            ${
              session.permissions.length === 1 && session.permissions[0] === "portal.pos"
                ? html`<ul>
                    <li><a href=${config.till} target="_blank">${icon("stores")}Open the till</a></li>
                  </ul>`
                : nothing
            }
          </nav>
          <footer>
            <button
              class="button quiet square"
              type="button"
              aria-label=${document.documentElement.dataset.theme === "dark" ? "Use light colours" : "Use dark colours"}
              @click=${async () => (await import("/kit/theme-choice.js")).switchTheme()}
            >
              ${icon("moon")}
            </button>
            <button class="button quiet" type="button" @click=${this.signOut}>
              ${icon("leave", { mirror: true })}Sign out
            </button>
          </footer>
        </aside>
        <main class="content" id="content" tabindex="-1">
          ${
            stopped
              ? html`<div class="notice bad stopped" role="status">
                  ${icon("warn")}
                  <div>
                    <b>${stopped.title}</b>
                    <p>${stopped.text}</p>
                  </div>
                </div>`
              : nothing
          }
          ${page}
        </main>
      </div>`;
  }

  /** @param {KeyboardEvent} event */
  closeMenu(event) {
    if (event.key !== "Escape" || !this.menuOpen) return;
    this.menuOpen = false;
    this.requestUpdate();
    /** @type {HTMLElement | null} */ (this.querySelector(".top button"))?.focus();
  }
}

/** @param {string} path */
function find(path) {
  for (const entry of PAGES) {
    const names = [...entry[0].matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
    const match = new RegExp(`^${entry[0].replaceAll(/\{\w+\}/g, "([^/]+)")}/?$`).exec(path);
    if (match)
      return {
        entry,
        params: Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(match[i + 1] ?? "")])),
      };
  }
  return null;
}

/** @param {string} path */
function isCurrent(path) {
  return location.pathname === path || location.pathname.startsWith(`${path}/`);
}

/** @param {import("./store.js").Session} session */
function roleLine(session) {
  const user = session.user;
  const person = user ? [user.firstName, user.lastName].filter(Boolean).join(" ") || user.email : "";
  const role =
    session.role === "VIEWER"
      ? "Read only"
      : session.role === "FULL"
        ? "Full access"
        : session.role === "ADMIN"
          ? "Admin"
          : user?.isAdmin
            ? "Platform"
            : "";
  return [person, role].filter(Boolean).join(", ");
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

customElements.define("portal-app", PortalApp);
