// The dashboard: the session, and the page of the address in its frame.

import { once } from "/kit/once.js";
import { html, LitElement } from "/kit/vendor/lit.js";
import { explain, onSessionEnd, shown } from "./shell/api.js";
import { frame, outline } from "./shell/frame.js";
import { firstPage } from "./shell/menu.js";
import { head } from "./shell/parts.js";
import { currentPosition, followLink, go, leaving } from "./shell/router.js";
import { find } from "./routes.js";
import { isStopped, isWaiting, loadSession, setSession, store } from "./shell/store.js";
import { loadStyles } from "./shell/styles.js";

const STILL_IN = html`<p class="notice bad" role="alert">
  You were not signed out. Check the network, and sign out again.
</p>`;
const LOOK_WHILE_WAITING_MS = 20_000;

/** A page that Back leads to, as it was left. @typedef {{page: import("./shell/page.js").Page, path: string, scroll: number, link: string | null}} Place */

class PortalApp extends LitElement {
  /** @type {"starting" | "failed" | "signed-out" | "signed-in"} */
  state = "starting";
  failure = "";
  /** @type {import("./shell/page.js").Page | null} */
  page = null;
  pagePath = "";
  /** The entry of the history that shows the page. */
  position = 0;
  /** By entry of the history. @type {Map<number, Place>} */
  places = new Map();
  menuOpen = false;
  /** What the merchant may not do. */
  stopped = /** @type {unknown} */ (null);
  offer = /** @type {unknown} */ (null);
  signingOut = false;
  /** Why that failed. */
  notOut = /** @type {unknown} */ (null);
  /** In place of the page, once it is another session's. */
  notYours = /** @type {unknown} */ (null);
  /** Whether there is a new session, while somebody is asked. @type {Promise<boolean> | null} */
  signingIn = null;

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    document.addEventListener("click", followLink);
    addEventListener("route", (event) => this.route(/** @type {CustomEvent} */ (event).detail?.traversed));
    addEventListener("session-changed", () => this.start());
    addEventListener("theme-choice", () => this.requestUpdate());
    addEventListener("other-session", () => this.lookAtSession());
    const look = once(async () => document.hidden || this.lookAtSession());
    document.addEventListener("visibilitychange", look);
    addEventListener("focus", look);
    setInterval(() => isWaiting() && !document.hidden && this.lookAtSession(), LOOK_WHILE_WAITING_MS);
    matchMedia("(min-width: 60rem)").addEventListener("change", () => this.toggleMenu(false));
    onSessionEnd((reason) => this.askToSignIn(reason));
    leaving.changed = () => this.page?.changed ?? false;
    this.start();
  }

  async start() {
    load(location.pathname).catch(() => {}); // beside the session: route() says what fails
    try {
      await loadSession();
      shown.merchant = store.session?.merchant?.id;
      this.places.clear();
      // Properties of an element are lost if it is rendered before it is defined.
      if (!store.session) await Promise.all([import("./account/sign-in.js"), loadStyles()]);
      this.stopped = isStopped() ? (await import("./shell/restriction.js")).restriction() : null;
      this.state = store.session ? "signed-in" : "signed-out";
      if (store.session) await this.route();
      else document.title = "Sign in · Merchant portal";
    } catch (problem) {
      await loadStyles().catch(() => {}); // without them the message is plain text
      this.fail(explain(problem));
    }
    this.requestUpdate();
  }

  /** @param {string} failure */
  fail(failure) {
    this.state = "failed";
    this.failure = failure;
    this.requestUpdate();
  }

  /** Shows the page of the address. @param {boolean} [traversed] by the browser's Back or Forward @returns {Promise<void>} */
  async route(traversed = false) {
    if (!store.session) return;
    this.menuOpen = false;
    const { pathname, search } = location;
    if (pathname === "/" || (pathname === "/start" && firstPage() !== "/start"))
      return go(firstPage(), { replace: true });
    const found = find(pathname);
    if (!found) return this.showNotFound(pathname);
    try {
      await load(pathname);
    } catch {
      return this.fail("This page could not be loaded. Check the network and reload.");
    }
    if (location.pathname !== pathname) return; // the address changed while the page was loaded
    const moved = this.pagePath !== pathname || !this.page;
    const place = moved ? this.move(found.tag, pathname, traversed) : undefined;
    this.position = currentPosition();
    if (moved) document.title = `${found.title} · ${store.session.merchant?.name ?? "Merchant portal"}`;
    this.page?.show(found.params, new URLSearchParams(search));
    this.requestUpdate();
    if (moved && this.state !== "starting") await this.arrive(place);
  }

  /** Leaves the page for another one; Back leads to it as it was left. @param {string} tag @param {string} path @param {boolean} traversed */
  move(tag, path, traversed) {
    this.notOut = null;
    if (this.page?.keeps) this.places.set(this.position, placeOf(this.page, this.pagePath));
    const kept = traversed ? this.places.get(currentPosition()) : undefined;
    const place = kept?.path === path ? kept : undefined;
    this.page = place?.page ?? /** @type {import("./shell/page.js").Page} */ (document.createElement(tag));
    this.pagePath = path;
    return place;
  }

  /** Moves scroll and focus: to where they were, or to the top and the heading. @param {Place} [place] */
  async arrive(place) {
    await this.updateComplete;
    await this.page?.updateComplete;
    scrollTo(0, place?.scroll ?? 0);
    const link = place?.link && this.page?.querySelector(`a[href="${CSS.escape(place.link)}"]`);
    if (link instanceof HTMLElement) link.focus({ preventScroll: true });
    else this.page?.focusHeading();
  }

  /** @param {string} path */
  showNotFound(path) {
    this.page = null;
    this.pagePath = path;
    document.title = "Not found · Merchant portal";
    this.requestUpdate();
    loadStyles();
  }

  /** @param {unknown} offer above the page */
  signedIn(offer) {
    this.offer = offer;
    this.start();
  }

  /** Asks to sign in over the page, which keeps what was typed. @param {import("./shell/api.js").Reason} reason */
  askToSignIn(reason) {
    return (this.signingIn ??= this.signInAgain(reason).finally(() => (this.signingIn = null)));
  }

  /** @param {import("./shell/api.js").Reason} reason */
  async signInAgain(reason) {
    const [{ signInOverPage }] = await Promise.all([import("./account/sign-in-over.js"), loadStyles()]);
    const isSignedIn = await signInOverPage(store.session?.user?.email ?? "", reason);
    if (isSignedIn) await this.lookAtSession();
    return isSignedIn;
  }

  /** Whether the page still belongs to the session of the browser, and may show what it shows. */
  async lookAtSession() {
    if (!store.session) return;
    const { lookAtSession, notYours } = await import("./account/session-watch.js");
    const now = await lookAtSession();
    if (now.kind === "unknown") return;
    if (now.kind === "other") await loadStyles();
    this.notYours = now.kind === "other" ? notYours(now.session) : null;
    if (now.kind === "changed") await this.apply(now.session);
    this.requestUpdate();
    if (!this.notYours) return;
    await this.updateComplete;
    this.querySelector("h1")?.focus();
  }

  /** The same person may do more or less, or the platform has decided. @param {import("./shell/store.js").Session} session */
  async apply(session) {
    const approved = isWaiting() && session.merchant?.status === "ACTIVE";
    setSession(session);
    this.stopped = isStopped() ? (await import("./shell/restriction.js")).restriction() : null;
    if (approved) (await import("./forms/forms.js")).toast("Your business is approved. You can sell gift cards now.");
    if (!this.page?.changed) await this.route();
  }

  signOut = once(async () => {
    this.notOut = null;
    this.menuOpen = false; // on a phone, the page is behind it
    this.signingOut = true;
    this.requestUpdate();
    const loaded = Promise.all([import("./account/sign-out.js"), loadStyles()]);
    this.notOut = await loaded.then(
      ([{ signOut }]) => signOut(),
      () => STILL_IN,
    );
    this.signingOut = !this.notOut;
    this.requestUpdate();
  });

  /** @param {boolean} open */
  async toggleMenu(open) {
    if (open === this.menuOpen) return;
    this.menuOpen = open;
    this.requestUpdate();
    await this.updateComplete;
    const next = this.querySelector(open ? "#side a" : ".top button");
    if (next instanceof HTMLElement) next.focus();
  }

  render() {
    if (this.state === "failed")
      return html`<main class="alone">
        <h1>The portal could not be opened</h1>
        <p>${this.failure}</p>
        <p><button class="button primary" @click=${() => location.reload()}>Try again</button></p>
      </main>`;
    if (this.state === "signed-out") return html`<sign-in .done=${this.signedIn.bind(this)}></sign-in>`;
    if (this.notYours) return this.notYours;
    if (this.state === "starting" || !store.session) return outline();
    return frame(store.session, {
      page: [this.notOut, this.stopped, this.offer, this.page ?? notFound()],
      menuOpen: this.menuOpen,
      signingOut: this.signingOut,
      toggleMenu: (open) => this.toggleMenu(open),
      signOut: () => this.signOut(),
    });
  }
}

/** A page and its styles. @param {string} path */
const load = (path) => Promise.all([find(path)?.load(), path.length > 1 && path !== "/overview" && loadStyles()]);

/** @param {import("./shell/page.js").Page} page @param {string} path @returns {Place} */
function placeOf(page, path) {
  const focused = page.contains(document.activeElement) ? document.activeElement : null;
  return { page, path, scroll: scrollY, link: focused?.getAttribute("href") ?? null };
}

function notFound() {
  const first = firstPage();
  return head(
    "Page not found",
    "The address may be incomplete or wrong. Choose a page from the menu.",
    html`<a class="button" href=${first}>Go to the start page</a>`,
  );
}

customElements.define("portal-app", PortalApp);
