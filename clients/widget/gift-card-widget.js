// <gift-card-widget merchant="m-aurora">: gift cards in any shop. README.md describes it.

// The shop's styles end at `section`. Its height is the same while loading, so that nothing moves.
const STYLES = new CSSStyleSheet();
STYLES.replaceSync(`
:host{display:block;box-sizing:border-box;width:100%;min-width:0;container:widget/inline-size;contain-intrinsic-inline-size:320px}
:host([hidden]){display:none}
section{all:initial;visibility:inherit;pointer-events:inherit;color-scheme:inherit;position:relative;display:grid;grid-template:auto 1fr auto/minmax(0,1fr);
gap:.75em;min-height:30em;padding:1.25em;--line:color-mix(in srgb,CanvasText 14%,Canvas);--edge:color-mix(in srgb,CanvasText 54%,Canvas);
border:1px solid var(--line);border-radius:var(--gift-card-radius,16px);background:Canvas;color:CanvasText;font-family:var(--gift-card-font,system-ui,sans-serif);
line-height:1.5;overflow-wrap:anywhere}
:host([theme=light]) section{color-scheme:light}
:host([theme=dark]) section{color-scheme:dark}
*,section{box-sizing:border-box;margin:0}
h2{min-height:1.4em;font-size:1.25em;line-height:1.4}
h2,h3,b,button{font-weight:600}
ul{display:grid;grid:auto/auto-flow max((100% - 2.5em)/3,min(17em,100%));gap:1.25em;padding:0;list-style:none}
ul,fieldset{overflow-x:scroll;scrollbar-width:thin;scrollbar-color:var(--edge) #0000}
li{display:grid;grid-template-rows:10em minmax(4.5em,auto) auto;gap:.5em;align-content:start;min-width:0}
.art{position:relative;display:flex;flex-direction:column;justify-content:space-between;padding:1em;overflow:hidden;border-radius:12px;
background:linear-gradient(135deg,var(--brand),var(--end));color:var(--on-brand);font-size:.8125em}
.art::after{content:"";position:absolute;inset-inline-end:-12%;inset-block-end:-45%;width:60%;aspect-ratio:1;border:12px solid var(--accent);border-radius:50%}
b{font-size:1.85em}
img{object-fit:cover;z-index:1}
h3{font-size:1em}
p,.field{font-size:.875em}
p{opacity:.76}
fieldset{display:flex;gap:.5em;margin:0 -4px;padding:4px;border:0;min-width:0}
.amount{position:relative;display:grid;place-items:center;flex:none;min-height:44px;min-width:44px;padding:0 .75em;border:1px solid var(--edge);border-radius:2em}
.amount:has(:checked){border-color:var(--brand);background:var(--brand);color:var(--on-brand);box-shadow:0 0 0 2px Canvas,0 0 0 3px var(--edge)}
.amount:has(:focus-visible),:focus-visible{outline:2px solid;outline-offset:2px}
.amount input,img{position:absolute;inset:0;width:100%;height:100%}
.amount input{opacity:0}
.field{padding:4px}
.field input{float:inline-end;width:8em;height:44px;border:1px solid var(--edge);border-radius:8px;background:Canvas;color:inherit;font-size:16px}
footer{display:flex;align-items:center;justify-content:space-between;gap:.5em 1.5em;padding-top:.75em;border-top:1px solid var(--line)}
button{flex:none;min-height:48px;padding:0 1.5em;border:0;border-radius:8px;background:CanvasText;color:Canvas;font-family:inherit;font-size:1em}
.away{visibility:hidden}
.message{position:absolute;inset:1.25em;display:grid;place-content:center;justify-items:center;gap:.75em;text-align:center}
i{border-radius:12px;background:var(--line)}
i:last-child{height:52px}
@container widget (max-width:26em){li{grid-template-rows:8.5em minmax(4.5em,auto) auto}footer{display:grid}footer p{min-height:1.5em}}
@media (forced-colors:active){.art{forced-color-adjust:none}.amount:has(:checked){outline:2px solid Highlight}}`);

/** What the widget says, in Fluent. Other languages are loaded on demand. @type {Record<string, Record<string, string>>} */
const WORDS = {
  en: messages(`
heading = Gift cards
card = Gift card
choose = Choose { $amount }
enter = Enter an amount
amount = Amount in { $currency }
amounts = { $card }: amount
chosen = Chosen: { $choice }
none = No gift cards yet. They will appear here.
failed = Gift cards could not be loaded. Nothing was changed.
retry = Try again
`),
};

/** @typedef {{id: string, name: string, description?: string, currency: string, denominations: number[], imageUrl?: string}} Card */
/** For elements that are made anew. The amount is 0 until one is entered. @type {Map<string, {card: Card, amount: number}>} */
const choices = new Map();

class GiftCardWidget extends HTMLElement {
  static observedAttributes = ["merchant", "api", "heading", "locale", "amounts", "consent"];

  #root = this.attachShadow({ mode: "open" });
  #theme = new CSSStyleSheet();
  #loading = new AbortController();
  #source = "";
  /** @type {Card[] | null} */
  #items = null;
  #words = /** @type {Record<string, string>} */ ({});
  #language = /** @type {string | undefined} */ ("");

  connectedCallback() {
    this.attributeChangedCallback();
  }

  async attributeChangedCallback() {
    await null; // all attributes are set
    if (!this.isConnected) return;
    if (this.#source !== this.#cards) this.load();
    else if (this.#items) this.#show();
  }

  get #merchant() {
    return this.getAttribute("merchant") ?? "";
  }
  get #api() {
    return `${(this.getAttribute("api") || new URL(import.meta.url).origin).replace(/\/+$/, "")}/api/bff/widget/`;
  }
  // Not counted before a shop with the attribute has asked its visitors.
  get #consent() {
    return /^(given|granted|yes|true)$/.test(this.getAttribute("consent") ?? "given");
  }
  get #cards() {
    return `${this.#api}giftcards?merchantId=${encodeURIComponent(this.#merchant)}${this.#consent ? "" : "&count=no"}`;
  }

  async load() {
    this.#loading.abort();
    const loading = (this.#loading = new AbortController());
    setTimeout(() => loading.abort(), 15_000);
    this.#source = this.#cards;
    this.#items = null;
    this.#root.adoptedStyleSheets = [STYLES, this.#theme];
    this.#translate();
    this.#paint();
    this.#render();
    try {
      /** @type {any} */
      let theme;
      // The colors do not keep the cards waiting, and move nothing when they come.
      this.#get(this.#api + "config")
        .then((config) => {
          theme = config.theme;
          if (loading === this.#loading) this.#paint(theme?.primaryColor, theme?.accentColor);
        })
        .catch(() => {});
      // With the cookie that recognizes a visit.
      const { items: all } = await this.#get(this.#source, this.#consent ? "include" : "omit");
      const items = all.flatMap(usableCard);
      if (all.length && !items.length) throw new Error("no usable gift card");
      if (loading !== this.#loading) return;
      // The shop's own style sheet may have come meanwhile.
      this.#paint(theme?.primaryColor, theme?.accentColor);
      this.#items = items;
      await this.#show();
      this.#emit("ready", { count: items.length });
    } catch (error) {
      await this.#translate();
      if (loading !== this.#loading) return;
      this.#render(
        message(this.#words.failed, element("button", "button", { onclick: () => this.load() }, this.#words.retry)),
      );
      this.#emit("error", { message: String(error) });
    }
  }

  async #fetch(url = "", credentials = /** @type {RequestCredentials} */ ("omit")) {
    const response = await fetch(url, { credentials, signal: this.#loading.signal });
    if (!response.ok) throw new Error(`${response.status} ${url}`);
    return response;
  }

  async #get(url = "", credentials = /** @type {RequestCredentials} */ ("omit")) {
    return (await (await this.#fetch(url, credentials)).json()).data;
  }

  // Words in the language of `locale`, else of the page; amounts in that of the page.
  async #translate() {
    const page = this.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang;
    const tags = [this.getAttribute("locale") ?? "", page].map(languageTag);
    this.#language = tags[1] ?? tags[0];
    const known =
      tags
        .map((tag) => /^(da|de|en|es|fi|fr|ja|n[bno]|nl|sv)\b/.exec(tag ?? "")?.[0].replace(/n[no]/, "nb"))
        .find(Boolean) ?? "en";
    try {
      const url = new URL(known + ".ftl", import.meta.url).href;
      this.#words = WORDS[known] ??= messages(await (await this.#fetch(url)).text());
    } catch {
      this.#words = WORDS.en;
    }
  }

  #paint(primary = "", second = "") {
    const style = getComputedStyle(this);
    // Nothing but #rrggbb gets into the style sheet.
    const pick = (name = "", from = "", or = "") =>
      [style.getPropertyValue("--gift-card-" + name).trim(), from].find((color) => /^#[0-9a-f]{6}$/i.test(color)) ?? or;
    const brand = pick("color", primary, "#1f3a5f");
    // Up to this luminance white text has a contrast of 4.5, above it black text.
    const luminance = [0.2126, 0.7152, 0.0722].reduce(
      (sum, weight, i) =>
        sum + weight * ((parseInt(brand.slice(2 * i + 1, 2 * i + 3), 16) / 255 + 0.055) / 1.055) ** 2.4,
      0,
    );
    const [text, end] = luminance < 0.183 ? ["#fff", "#000"] : ["#000", "#fff"];
    this.#theme.replaceSync(
      `section{--brand:${brand};--on-brand:${text};--accent:${pick("accent", second, "#e4572e")};--end:color-mix(in srgb,${brand},${end} 22%)}`,
    );
  }

  async #show() {
    await this.#translate();
    const wanted = this.getAttribute("amounts") ?? "";
    const [words, language] = [this.#words, this.#language];
    const cards = (this.#items ?? []).map((card) => {
      const all = card.denominations;
      const some = wanted
        .split(/[\s,;]+/)
        .map(Number)
        .filter((amount) => (all.length ? all.includes(amount) : minor(amount, card.currency)));
      return { ...card, denominations: some.length ? some : all };
    });
    const [card] = cards;
    if (!card) return this.#render(message(words.none));

    const before = choices.get(this.#merchant);
    const kept = cards.find(
      ({ id, denominations: all }) => id === before?.card.id && (!all.length || all.includes(before.amount)),
    );
    let choice = {
      card: kept ?? card,
      amount: (kept ? before?.amount : card.denominations[(card.denominations.length - 1) >> 1]) ?? 0,
    };
    // "kr" could be another currency that is shown.
    const code = cards.some(({ currency }) => currency !== card.currency);
    const price = () => format(choice.amount, choice.card.currency, language, code);
    const button = element("button", "button", {
      onclick: () => {
        const {
          card: { id, name, currency },
          amount,
        } = choice;
        if (!amount) return inputs.find((input) => input.name === id).focus();
        const detail = { id, name, currency, amount, amountMinor: minor(amount, currency) };
        const goesOn = ["gift-card-select", "choose"].map((type) => this.#emit(type, detail));
        if (goesOn.every(Boolean)) status.textContent = fill(words.chosen, `${name}, ${price()}`);
      },
    });
    const status = element("p", "status", { role: "status", dir: "auto" });
    const update = () => {
      button.textContent = choice.amount ? fill(words.choose, price()) : words.enter;
      status.textContent = choice.card.name;
    };
    update();

    const inputs = /** @type {any[]} */ ([]);
    const list = cards.map((card) => {
      const { id, name, currency, denominations, imageUrl } = card;
      const chosen = card === choice.card ? choice.amount : 0;
      const input = (properties = {}) => {
        const input = element("input", "", properties);
        inputs.push(input);
        input.oninput = () => {
          // There is one choice.
          for (const other of inputs)
            if (other !== input) other.type === "radio" ? (other.checked = false) : (other.value = "");
          choice = {
            card,
            amount: input.type === "radio" || /^\s*[1-9]\d{0,6}\s*$/.test(input.value) ? +input.value : 0,
          };
          choices.set(this.#merchant, choice);
          update();
        };
        return input;
      };
      return element(
        "li",
        "card",
        {},
        element(
          "div",
          "art",
          { ariaHidden: "true" },
          element("b", "", {}, initials(name)),
          words.card,
          imageUrl
            ? element("img", "", {
                alt: "",
                src: imageUrl,
                onerror: (/** @type {any} */ { target }) => target.remove(),
              })
            : "",
        ),
        element(
          "div",
          "",
          {},
          element("h3", "name", { dir: "auto" }, name),
          element("p", "description", { dir: "auto" }, card.description ?? ""),
        ),
        denominations.length
          ? element(
              "fieldset",
              "amounts",
              { ariaLabel: fill(words.amounts, name) },
              ...denominations.map((amount) =>
                element(
                  "label",
                  "amount",
                  {},
                  input({ type: "radio", name: "amount", value: amount, checked: amount === chosen }),
                  element("bdi", "", {}, format(amount, currency, language, code)),
                ),
              ),
            )
          : element(
              "label",
              "field",
              {},
              fill(words.amount, currency),
              input({ name: id, inputMode: "numeric", autocomplete: "off", value: chosen || "" }),
            ),
      );
    });
    this.#render(element("ul", "cards", {}, ...list), element("footer", "footer", {}, status, button));
  }

  // An `error` that bubbles would look like one of a script.
  #emit(type = "", detail = {}) {
    return this.dispatchEvent(
      new CustomEvent(type, {
        detail: { merchant: this.#merchant, ...detail },
        bubbles: type !== "error",
        composed: true,
        cancelable: true,
      }),
    );
  }

  /** Nothing yet, a message, or cards. @param {...HTMLElement} content */
  #render(...content) {
    const place =
      content.length > 1
        ? []
        : [
            element(
              "ul",
              content.length ? "away" : "",
              { ariaHidden: "true" },
              ...[1, 2, 3].map(() => element("li", "", {}, element("i"), element("i"), element("i"))),
            ),
            element("footer", "away", {}, element("p"), element("button")),
          ];
    const heading = this.getAttribute("heading") ?? this.#words.heading ?? "";
    this.#root.replaceChildren(
      element(
        "section",
        "widget",
        { ariaLabel: heading },
        element("h2", "heading", { dir: "auto" }, heading),
        ...place,
        ...content,
      ),
    );
  }
}

/** Shops may forbid to parse markup. @type {(tag: string, part?: string, properties?: object, ...children: any[]) => any} */
function element(tag, part = "", properties, ...children) {
  const created = Object.assign(document.createElement(tag), { className: part, part }, properties);
  created.append(...children);
  return created;
}

const message = (text = "", more = "") =>
  element("div", "message", { role: "alert" }, element("p", "", {}, text), more);

const fill = (text = "", value = "") => text.replace(/{ .\w+ }/, () => value);

// One line each, with one parameter at most.
function messages(text = "") {
  return Object.fromEntries([...text.matchAll(/^(\w+) = (.*)/gm)].map(([, id, message]) => [id, message]));
}

function languageTag(text = "") {
  try {
    return Intl.getCanonicalLocales(text.replace(/_/g, "-"))[0];
  } catch {}
}

// Of ISO 4217; `Intl` differs.
const exponent = (currency = "") =>
  /BIF|CLP|DJF|GNF|ISK|JPY|KMF|KRW|PYG|RWF|UGX|UYI|VND|VUV|X[AOP]F/.test(currency)
    ? 0
    : /BHD|IQD|JOD|KWD|LYD|OMR|TND/.test(currency)
      ? 3
      : /CLF|UYW/.test(currency)
        ? 4
        : 2;

// 0 for what is no amount of the currency.
function minor(amount = 0, currency = "") {
  const units = 10 ** exponent(currency);
  const rounded = Math.round(amount * units);
  return rounded > 0 && rounded < 2 ** 53 && rounded / units === amount ? rounded : 0;
}

function format(amount = 0, currency = "", language = /** @type {string | undefined} */ (undefined), code = true) {
  const digits = Number.isInteger(amount) ? 0 : exponent(currency);
  return new Intl.NumberFormat(language, {
    style: "currency",
    currency,
    currencyDisplay: code ? "code" : "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);
}

/** Others are left out. @param {Card} card */
function usableCard(card) {
  try {
    format(1, card.currency);
    const denominations = card.denominations.filter((amount) => minor(amount, card.currency));
    return card.id && card.name && (denominations.length || !card.denominations.length)
      ? [{ ...card, denominations }]
      : [];
  } catch {
    return [];
  }
}

function initials(name = "") {
  const [first = "", ...others] = name.match(/(?<!\S)[\p{L}\p{N}]/gu) ?? [];
  return (first + (others.pop() ?? "")).toLocaleUpperCase();
}

// A page may have the script twice.
customElements.get("gift-card-widget") ?? customElements.define("gift-card-widget", GiftCardWidget);
