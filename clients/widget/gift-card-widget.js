// <gift-card-widget merchant="m-aurora" api="https://portal.example"></gift-card-widget>
//
// Shows a merchant's gift cards in a shop. One module without dependencies; it works under a Content Security Policy that
// allows the script, and the API in connect-src. Images that the policy blocks are replaced by initials.
//
// - merchant   id of the merchant
// - api        base URL of the API. Default: the origin of this script.
// - heading    heading above the cards. Default: "Gift cards".
//
// The event `gift-card-select` bubbles and has the choice in `detail`: {merchant, id, name, currency, amount}, the amount
// in whole currency units. A shop that puts the card into its own basket calls `preventDefault()`; otherwise, the widget
// confirms the choice itself.
//
// The custom properties --gift-card-color and --gift-card-accent (#rrggbb) replace the colours of the API. Light and dark
// follow the `color-scheme` of the shop.

const STYLES = new CSSStyleSheet();
STYLES.replaceSync(`
:host { --ink: light-dark(#111920, #e9edf0); --ink-2: light-dark(#444f57, #b3bcc3); --surface: light-dark(#fff, #13181b);
  --sunken: light-dark(#edf1f3, #1b2126); --line: light-dark(#dfe4e7, #282f34); --edge: light-dark(#7e8890, #6b767e);
  display: block; container: widget / inline-size; color: var(--ink); font: 400 1rem/1.5 system-ui, sans-serif; }
:host([hidden]) { display: none; }
* { box-sizing: border-box; margin: 0; }
section { padding: clamp(1rem, 4cqi, 1.5rem); border: 1px solid var(--line); border-radius: 1rem; background: var(--surface); }
h2 { font-size: 1.25rem; line-height: 1.3; font-weight: 600; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); gap: 1.5rem; margin-block: 1rem 1.5rem; padding: 0; list-style: none; }
.art { position: relative; display: flex; flex-direction: column; justify-content: space-between; aspect-ratio: 1.586; padding: 1rem; overflow: hidden;
  border-radius: .75rem; background: linear-gradient(135deg, var(--brand), var(--brand-end)); color: var(--on-brand); box-shadow: 0 1px 2px #0002, 0 8px 24px #0001; }
.art::after { content: ""; position: absolute; inset-inline-end: -12%; inset-block-end: -45%; inline-size: 60%; aspect-ratio: 1; border: .75rem solid var(--brand-accent); border-radius: 50%; }
.art b { font-size: 1.5rem; font-weight: 600; }
.art span { font-size: .8125rem; }
.art img { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; object-fit: cover; z-index: 1; }
h3 { margin-block: .75rem .125rem; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
p { color: var(--ink-2); font-size: .875rem; }
fieldset { display: flex; flex-wrap: wrap; gap: .5rem; margin-block-start: .75rem; padding: 0; border: 0; min-inline-size: 0; }
legend { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
.amount { position: relative; display: grid; place-items: center; min-block-size: 2.75rem; min-inline-size: 2.75rem; padding: 0 1rem; border: 1px solid var(--edge); border-radius: 2rem; cursor: pointer; font-variant-numeric: tabular-nums; }
.amount:has(:checked) { border-color: var(--brand); background: var(--brand); color: var(--on-brand); font-weight: 600; box-shadow: 0 0 0 2px var(--surface), 0 0 0 3px var(--edge); }
.amount:has(:focus-visible), :is(button, .field input):focus-visible { outline: 2px solid light-dark(#096386, #70c7ed); outline-offset: 4px; }
.amount input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
.field { display: grid; gap: .25rem; margin-block-start: .75rem; font-size: .875rem; }
.field input { inline-size: 100%; min-block-size: 2.75rem; padding: 0 .75rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--surface); color: inherit; font: inherit; font-size: 1rem; }
footer { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .75rem 1.5rem; padding-block-start: 1.25rem; border-block-start: 1px solid var(--line); }
button { min-block-size: 3rem; padding: 0 1.5rem; border: 1px solid transparent; border-radius: .5rem; background: var(--ink); color: var(--surface); font: inherit; font-weight: 600; cursor: pointer; }
.message { display: grid; justify-items: center; gap: .75rem; padding: 3rem 1rem; text-align: center; }
.message p { font-size: 1rem; }
.art:has(img:not([hidden])) { background: none; }
.skeleton { background: var(--sunken); border-radius: .75rem; box-shadow: none; animation: breathe 1.6s ease-in-out infinite alternate; }
.skeleton::after { content: none; }
.line { block-size: 1.25rem; margin-block-start: .75rem; }
.chips { block-size: 2.75rem; margin-block-start: 1.25rem; border-radius: 2rem; }
@keyframes breathe { to { opacity: .45; } }
@media (prefers-reduced-motion: reduce) { .skeleton { animation: none; } }
@container widget (max-width: 24rem) { button { inline-size: 100%; } }
@media (forced-colors: active) { .art { forced-color-adjust: none; } .amount:has(:checked) { outline: 2px solid Highlight; } }
`);

const TIMEOUT_MS = 15_000;
const DEFAULT_THEME = { primaryColor: "#1f3a5f", accentColor: "#e4572e" };

/** @typedef {{id: string, name: string, description: string, currency: string, denominations: number[], imageUrl: string}} GiftCard */

class GiftCardWidget extends HTMLElement {
  static observedAttributes = ["merchant", "api", "heading"];

  #root = this.attachShadow({ mode: "open" });
  #theme = new CSSStyleSheet();
  /** Aborts the requests of an earlier load. */
  #loading = new AbortController();
  /** `amount` is null until one is entered. @type {{card: GiftCard, amount: number | null} | null} */
  #choice = null;
  #isScheduled = false;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [STYLES, this.#theme];
  }

  connectedCallback() { this.#schedule(); }
  disconnectedCallback() { this.#loading.abort(); }
  attributeChangedCallback() { this.#schedule(); }

  /** Loads once for all attributes that are set together. */
  #schedule() {
    if (!this.isConnected || this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.load();
    });
  }

  /** Loads the gift cards again. */
  async load() {
    this.#loading.abort();
    const loading = this.#loading = new AbortController();
    const signal = AbortSignal.any([loading.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    this.#applyTheme(DEFAULT_THEME);
    this.#showSkeleton();
    try {
      const query = new URLSearchParams({ merchantId: this.getAttribute("merchant") ?? "" });
      const [theme, cards] = await Promise.all([
        // Cards without the merchant's colours are better than none.
        this.#get("/api/bff/widget/config", signal).then(({ theme }) => theme, () => DEFAULT_THEME),
        this.#get(`/api/bff/widget/giftcards?${query}`, signal),
      ]);
      if (loading.signal.aborted) return;
      this.#applyTheme(theme);
      this.#showCards(cards.items);
    } catch {
      if (!loading.signal.aborted) this.#showError();
    }
  }

  /** @param {string} path @param {AbortSignal} signal */
  async #get(path, signal) {
    const base = this.getAttribute("api") ?? new URL(import.meta.url).origin;
    // With credentials, so that the cookie which recognizes a visit is sent and kept.
    const response = await fetch(base.replace(/\/+$/, "") + path, { credentials: "include", signal });
    if (!response.ok) throw new Error(`${response.status} ${path}`);
    return (await response.json()).data;
  }

  /** @param {{primaryColor: string, accentColor: string}} theme */
  #applyTheme({ primaryColor, accentColor }) {
    const style = getComputedStyle(this);
    const brand = color(style.getPropertyValue("--gift-card-color").trim()) ?? color(primaryColor) ?? DEFAULT_THEME.primaryColor;
    const accent = color(style.getPropertyValue("--gift-card-accent").trim()) ?? color(accentColor) ?? DEFAULT_THEME.accentColor;
    // Black where white is hard to read. Gradients go away from the text, so that contrast only grows.
    const text = contrastWithWhite(brand) >= 4.5 ? "#ffffff" : "#000000";
    const end = text === "#ffffff" ? "black" : "white";
    this.#theme.replaceSync(`:host { --brand: ${brand}; --on-brand: ${text}; --brand-accent: ${accent};
      --brand-end: color-mix(in srgb, ${brand}, ${end} 22%); }`);
  }

  #showSkeleton() {
    const card = () => element("li", {}, element("div", { className: "art skeleton" }), element("div", { className: "line skeleton" }),
      element("div", { className: "chips skeleton" }));
    this.#show(element("ul", { ariaHidden: "true" }, card(), card()));
    this.#root.querySelector("section")?.setAttribute("aria-busy", "true");
  }

  #showError() {
    const retry = element("button", { type: "button" }, "Try again");
    retry.addEventListener("click", () => this.load());
    this.#show(element("div", { className: "message", role: "alert" },
      element("p", {}, "Gift cards could not be loaded. Nothing was changed."), retry));
  }

  /** @param {GiftCard[]} cards */
  #showCards(cards) {
    if (cards.length === 0) {
      this.#show(element("div", { className: "message" }, element("p", {}, "No gift cards yet. They will appear here.")));
      return;
    }
    const first = cards[0];
    this.#choice = { card: first, amount: first.denominations[(first.denominations.length - 1) >> 1] ?? null };
    const status = element("p", { role: "status" });
    const button = element("button", { type: "button" });
    const update = () => {
      if (!this.#choice) return;
      const { card, amount } = this.#choice;
      button.textContent = amount === null ? "Enter an amount" : `Choose ${this.#format(amount, card.currency)}`;
      status.textContent = card.name;
    };
    button.addEventListener("click", () => this.#select(status));
    this.#show(
      element("ul", {}, ...cards.map((card) => this.#card(card, update))),
      element("footer", {}, status, button),
    );
    update();
  }

  /** @param {GiftCard} card @param {() => void} update */
  #card(card, update) {
    const image = element("img", { alt: "", hidden: true });
    image.addEventListener("load", () => { image.hidden = false; });
    image.src = card.imageUrl;
    return element("li", {},
      element("div", { className: "art", ariaHidden: "true" }, element("b", {}, initials(card.name)), element("span", {}, "Gift card"), image),
      element("h3", { dir: "auto" }, card.name),
      element("p", { dir: "auto" }, card.description),
      card.denominations.length > 0 ? this.#amounts(card, update) : this.#field(card, update));
  }

  /** @param {GiftCard} card @param {() => void} update */
  #amounts(card, update) {
    const amounts = card.denominations.map((amount) => {
      const input = element("input", {
        // One group for all cards: there is one choice.
        type: "radio", name: "amount", value: String(amount),
        checked: card === this.#choice?.card && amount === this.#choice.amount,
      });
      input.addEventListener("change", () => {
        this.#clearOthers(input);
        this.#choice = { card, amount };
        update();
      });
      return element("label", { className: "amount" }, input, element("bdi", {}, this.#format(amount, card.currency)));
    });
    return element("fieldset", {}, element("legend", {}, `${card.name}: amount`), ...amounts);
  }

  /** A card without denominations has any amount. @param {GiftCard} card @param {() => void} update */
  #field(card, update) {
    const input = element("input", { name: card.id, inputMode: "numeric", autocomplete: "off" });
    input.addEventListener("input", () => {
      this.#clearOthers(input);
      const text = input.value.trim();
      this.#choice = { card, amount: /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null };
      update();
    });
    return element("label", { className: "field" }, `Amount in ${card.currency}`, input);
  }

  /** There is one choice. @param {HTMLInputElement} chosen */
  #clearOthers(chosen) {
    for (const input of this.#root.querySelectorAll("input")) {
      if (input !== chosen) Object.assign(input, input.type === "radio" ? { checked: false } : { value: "" });
    }
  }

  /** @param {HTMLElement} status */
  #select(status) {
    if (!this.#choice) return;
    const { card, amount } = this.#choice;
    if (amount === null) return this.#root.querySelector(/** @type {"input"} */ (`[name="${CSS.escape(card.id)}"]`))?.focus();
    const detail = { merchant: this.getAttribute("merchant"), id: card.id, name: card.name, currency: card.currency, amount };
    const event = new CustomEvent("gift-card-select", { detail, bubbles: true, composed: true, cancelable: true });
    if (this.dispatchEvent(event)) status.textContent = `Chosen: ${card.name}, ${this.#format(amount, card.currency)}`;
  }

  /** @param {number} amount in whole currency units @param {string} currency */
  #format(amount, currency) {
    const language = this.closest("[lang]")?.getAttribute("lang") || undefined;
    return new Intl.NumberFormat(language, {
      style: "currency", currency, currencyDisplay: "narrowSymbol", minimumFractionDigits: 0, maximumFractionDigits: 0,
    }).format(amount);
  }

  /** @param {...HTMLElement} content */
  #show(...content) {
    const heading = element("h2", { id: "heading" }, this.getAttribute("heading") ?? "Gift cards");
    const section = element("section", {}, heading, ...content);
    section.setAttribute("aria-labelledby", "heading");
    this.#root.replaceChildren(section);
  }
}

/** Creates an element. Shops may require Trusted Types, so no markup is parsed from strings.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 * @param {...(HTMLElement | string)} children
 * @returns {HTMLElementTagNameMap[Tag]} */
function element(tag, properties, ...children) {
  const created = document.createElement(tag);
  Object.assign(created, properties);
  created.append(...children);
  return created;
}

/** @param {string} name */
function initials(name) {
  const letters = name.split(/\s+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word)).map((word) => [...word][0]);
  return (letters.length > 1 ? letters[0] + letters[letters.length - 1] : letters[0] ?? "").toLocaleUpperCase();
}

/** The value if it is `#rrggbb`: nothing else gets into the style sheet.
 * @param {unknown} value */
const color = (value) => (typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value) ? value : null);

/** Contrast of WCAG 2.2. @param {string} color */
function contrastWithWhite(color) {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

customElements.define("gift-card-widget", GiftCardWidget);
