// The console: a menu, and the page that the address names after "#/".

import { html, LitElement, svg } from "/kit/vendor/lit.js";
import { currentTheme, switchTheme } from "/kit/theme-choice.js";
import "./pages/start.js";
import "./pages/requests.js";
import "./pages/mail.js";
import "./pages/upstream.js";
import "./pages/webhooks.js";
import "./pages/faults.js";
import "./pages/database.js";

const PAGES = [
  {
    name: "",
    title: "Start",
    icon: svg`<path d="m3 9 7-6 7 6v8h-5v-5H8v5H3z"/>`,
    view: () => html`<x-start-page></x-start-page>`,
  },
  {
    name: "requests",
    title: "Requests",
    icon: svg`<path d="M4 5h12M4 10h12M4 15h7"/>`,
    view: () => html`<x-requests-page></x-requests-page>`,
  },
  {
    name: "mail",
    title: "Mail",
    icon: svg`<path d="M3 5h14v10H3zm0 1 7 5 7-5"/>`,
    view: () => html`<x-mail-page></x-mail-page>`,
  },
  {
    name: "upstream",
    title: "Upstream calls",
    icon: svg`<path d="M6 16V4L3 7m3-3 3 3m5-3v12l-3-3m3 3 3-3"/>`,
    view: () => html`<x-upstream-page></x-upstream-page>`,
  },
  {
    name: "webhooks",
    title: "Webhooks",
    icon: svg`<path d="M8 4H4v12h12v-4M12 4h4v4m0-4-7 7"/>`,
    view: () => html`<x-webhooks-page></x-webhooks-page>`,
  },
  {
    name: "faults",
    title: "Faults",
    icon: svg`<path d="m11 2-6 9h5l-1 7 6-9h-5z"/>`,
    view: () => html`<x-faults-page></x-faults-page>`,
  },
  {
    name: "database",
    title: "Database",
    icon: svg`<path d="M4 5c0-3 12-3 12 0v10c0 3-12 3-12 0zm0 0c0 3 12 3 12 0M4 10c0 3 12 3 12 0"/>`,
    view: () => html`<x-database-page></x-database-page>`,
  },
];

class Console extends LitElement {
  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    window.addEventListener("hashchange", () => this.show());
  }

  /** A new page starts at its heading, for readers and for the keyboard. */
  async show() {
    this.requestUpdate();
    await this.updateComplete;
    window.scrollTo(0, 0);
    const heading = /** @type {HTMLElement | null} */ (this.querySelector("h1"));
    heading?.focus({ preventScroll: true });
    this.querySelector('nav [aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  render() {
    const page = PAGES.find(({ name }) => name === location.hash.replace(/^#\/?/, "")) ?? PAGES[0];
    document.title = `${page?.title} · Console`;
    return html` <nav aria-label="Console">
        <p class="brand">
          <img src="/kit/icon.svg" alt="" width="28" height="28" /><span
            ><b>Console</b><span class="faint">Local system</span></span
          >
        </p>
        <ul>
          ${PAGES.map(
            ({ name, title, icon }) =>
              html`<li>
                <a href="#/${name}" aria-current=${name === page?.name ? "page" : "false"}
                  >${renderIcon(icon)}${title}</a
                >
              </li>`,
          )}
          <li>
            <a href="/reference"
              >${renderIcon(svg`<path d="M10 5C8 3 5 3 3 4v12c2-1 5-1 7 1 2-2 5-2 7-1V4c-2-1-5-1-7 1zm0 0v12"/>`)}API
              reference</a
            >
          </li>
        </ul>
        <button class="button quiet theme" @click=${this.switchTheme}>
          ${currentTheme() === "dark" ? "Light" : "Dark"} theme
        </button>
      </nav>
      <main>${page?.view()}</main>`;
  }

  switchTheme() {
    switchTheme();
    this.requestUpdate();
  }
}

/** @param {unknown} paths */
const renderIcon = (paths) =>
  html`<svg
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linejoin="round"
    stroke-linecap="round"
    aria-hidden="true"
  >
    ${paths}
  </svg>`;

customElements.define("x-console", Console);
