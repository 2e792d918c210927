// The lines that put the gift cards into the merchant's own shop, with the widget as they make it.

import { cssVariables } from "/kit/css-variables.js";
import { html, LitElement, nothing } from "/kit/vendor/lit.js";
import { once } from "/kit/once.js";
import { config } from "/config.js";
import { api, call } from "../shell/api.js";
import { copy } from "../shell/copy.js";
import { field, toast } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { store } from "../shell/store.js";

const LANGUAGES = /** @type {const} */ ([
  ["", "Same as the page"],
  ["en", "English"],
  ["da", "Danish"],
  ["nl", "Dutch"],
  ["fi", "Finnish"],
  ["fr", "French"],
  ["de", "German"],
  ["ja", "Japanese"],
  ["nb", "Norwegian"],
  ["es", "Spanish"],
  ["sv", "Swedish"],
]);
const THEMES = /** @type {const} */ ([
  ["", "Same as the shop"],
  ["light", "Light"],
  ["dark", "Dark"],
]);
const VERSIONS = /** @type {const} */ ([
  ["", "Stays up to date"],
  ["exact", "This version, checked by its hash"],
]);
const VISITS = /** @type {const} */ ([
  ["", "Count views"],
  ["asked", "Only after consent"],
]);
/** The widget has this height from its first moment on, so that nothing in the shop moves. */
const PLACE = "display: block; width: 100%; min-height: 480px";

class WidgetSnippet extends LitElement {
  static properties = { chosen: { state: true }, release: { state: true }, failed: { state: true }, color: {} };

  constructor() {
    super();
    this.chosen = { locale: "", theme: "", version: "", consent: "" };
    /** @type {{version: string, integrity: string} | null} */
    this.release = null;
    /** What could not be loaded. */
    this.failed = "";
    /** The merchant's own, which the widget's lines carry into the shop. @type {string | null} */
    this.color = null;
  }

  createRenderRoot() {
    return this;
  }

  async connectedCallback() {
    super.connectedCallback();
    await this.load();
  }

  load = once(async () => {
    this.failed = "";
    const look = call(() => api.GET("/api/bff/widget/config", { credentials: "omit" }));
    look.catch(() => (this.failed ||= "The colours of your shop could not be loaded: the preview shows others."));
    try {
      this.release ??= await loadRelease();
    } catch {
      this.failed = "The lines for your shop could not be loaded.";
    }
    await look.catch(() => {});
  });

  /** Loads anew what failed, in the preview too. */
  async again() {
    await this.load();
    /** @type {{load?: () => void} | null} */ (this.querySelector("gift-card-widget"))?.load?.();
  }

  render() {
    const merchant = store.session?.merchant?.id;
    if (!merchant) return nothing;
    return html`${this.failed ? this.failure() : nothing}${this.release ? this.lines(merchant, this.release) : nothing}`;
  }

  failure() {
    return html`<div class="notice bad" role="alert">
      ${icon("warn")}
      <div>
        <b>${this.failed}</b>
        <p><button class="button" type="button" @click=${() => this.again()}>Try again</button></p>
      </div>
    </div>`;
  }

  /** @param {string} merchant @param {{version: string, integrity: string}} release */
  lines(merchant, release) {
    const { locale, theme } = this.chosen;
    /** @param {"locale" | "theme" | "version" | "consent"} name @param {string} label @param {readonly (readonly [string, string])[]} options */
    const choice = (name, label, options) =>
      field({
        name: `widget-${name}`,
        label,
        value: this.chosen[name],
        options,
        oninput: (value) => {
          this.chosen = { ...this.chosen, [name]: value };
        },
      });
    // The preview is no view of a visitor: it is not counted.
    return html`<div class="form">
        <div class="two">
          ${choice("locale", "Language", LANGUAGES)} ${choice("theme", "Colours", THEMES)}
          ${choice("version", "Version", VERSIONS)} ${choice("consent", "Visitors", VISITS)}
        </div>
        <div class="field">
          <label for="widget-snippet">Paste this into the page of your shop</label
          ><textarea
            class="input mono"
            id="widget-snippet"
            rows="6"
            readonly
            spellcheck="false"
            .value=${this.snippet(merchant, release)}
          ></textarea>
        </div>
        <div class="bar">
          <button type="button" class="button" @click=${() => this.copy(merchant)}>Copy</button
          ><span class="muted small"
            >Your shop puts the chosen card into its basket by the event <code>choose</code>.</span
          >
        </div>
      </div>
      <div class="widget-preview">
        <gift-card-widget
          ${this.color ? cssVariables({ "--gift-card-color": this.color }) : nothing}
          merchant=${merchant}
          api=${config.api}
          consent="preview"
          locale=${locale || nothing}
          theme=${theme || nothing}
          @error=${() => (this.failed ||= "The gift cards of the preview could not be loaded.")}
        ></gift-card-widget>
      </div>`;
  }

  /** @param {string} merchant @param {{version: string, integrity: string}} release */
  snippet(merchant, { version, integrity }) {
    const { locale, theme, consent, version: chosen } = this.chosen;
    const [address, check] = chosen ? [version, ` integrity="${integrity}" crossorigin`] : [version.split(".")[0], ""];
    // The widget asks the origin of its script, unless the lines say otherwise.
    const { widget = config.api } = config;
    const api = widget === config.api ? "" : config.api;
    const attributes = Object.entries({ merchant, api, locale, theme, consent })
      .filter(([, value]) => value)
      .map(([name, value]) => ` ${name}="${escape(value)}"`);
    return [
      `<style>gift-card-widget { ${PLACE}${this.color ? `; --gift-card-color: ${this.color}` : ""} }</style>`,
      `<script type="module" src="${widget}/widget/${address}/gift-card-widget.js"${check}></script>`,
      `<gift-card-widget${attributes.join("")}></gift-card-widget>`,
    ].join("\n");
  }

  /** @param {string} merchant */
  async copy(merchant) {
    if (!this.release) return;
    toast(await copy(this.snippet(merchant, this.release), this.querySelector("textarea")));
  }
}

async function loadRelease() {
  const [release] = await Promise.all([fetch("/widget/release.json"), import("/widget/gift-card-widget.js")]);
  return release.json();
}

/** @param {string} text */
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

customElements.define("widget-snippet", WidgetSnippet);
