// The base of pages. Their content is in the light DOM, so that the shared styles apply.

import { LitElement } from "/kit/vendor/lit.js";
import { store } from "./store.js";

export class Page extends LitElement {
  /** Parts of the path, such as an order's id. @type {Record<string, string>} */
  params = {};
  /** @type {URLSearchParams} */
  query = new URLSearchParams();
  /** What it loads. @type {Resource<any>[]} */
  resources = [];
  /** Whether the browser's Back leads to the page as it was left. */
  keeps = true;
  #headingWanted = false;
  /** What has the focus, and its section. @type {[Element, Element | null] | undefined} */
  #focused = undefined;

  createRenderRoot() {
    return this;
  }

  /**
   * Called when the page's address changed.
   * @param {Record<string, string>} params
   * @param {URLSearchParams} query
   */
  show(params, query) {
    this.params = params;
    this.query = query;
    this.arrive();
    this.requestUpdate();
  }

  /** What a page does for a new address. */
  arrive() {}

  /** Whether leaving the page loses what was typed. */
  get changed() {
    return false;
  }

  /** Moves the focus to the heading, as soon as there is one: that of an order needs the order. */
  focusHeading() {
    this.#headingWanted = true;
    this.requestUpdate();
  }

  willUpdate() {
    const one = document.activeElement;
    this.#focused = one && this.contains(one) ? [one, one.closest("section")] : undefined;
  }

  /** The heading names the page, in the title of the window too. */
  updated() {
    const [one, section] = this.#focused ?? [];
    if (one && !one.isConnected) import("./lost-focus.js").then(({ focusNear }) => focusNear(section, this));
    const heading = this.querySelector("h1");
    const name = heading?.textContent?.replaceAll(/\s+/g, " ").trim();
    if (!heading || !name || !this.isConnected) return;
    document.title = `${name} · ${store.session?.merchant?.name ?? "Merchant portal"}`;
    if (this.#headingWanted && !this.contains(document.activeElement)) heading.focus({ preventScroll: true });
    this.#headingWanted = false;
  }
}

/**
 * Data of a page: loading, there, or failed. While it is loaded again, the old data stays.
 * @template T
 */
export class Resource {
  /** @type {T | undefined} */
  data = undefined;
  /** @type {unknown} */
  problem = null;
  loading = false;
  /** Loading for a second: time to say so. */
  slow = false;
  #run = 0;

  /**
   * @param {{requestUpdate(): void, resources?: Resource<any>[]}} page
   * @param {() => Promise<T>} load
   */
  constructor(page, load) {
    page.resources?.push(this);
    this.page = page;
    this.loader = load;
  }

  async load() {
    const run = ++this.#run;
    this.loading = true;
    this.slow = false;
    const timer = setTimeout(() => {
      this.slow = run === this.#run;
      this.page.requestUpdate();
    }, 1000);
    this.page.requestUpdate();
    try {
      const data = await this.loader();
      if (run !== this.#run) return; // a newer request replaces it
      this.data = data;
      this.problem = null;
    } catch (problem) {
      if (run !== this.#run) return;
      this.problem = problem;
    } finally {
      clearTimeout(timer);
      if (run === this.#run) {
        this.loading = false;
        this.slow = false;
        this.page.requestUpdate();
      }
    }
  }

  /** Forgets what was loaded: the page is about something else now. */
  clear() {
    this.#run++;
    this.data = undefined;
    this.problem = null;
  }
}
