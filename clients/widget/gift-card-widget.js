// <gift-card-widget merchant="m-aurora">: gift cards in any shop. README.md describes it.

// The shop's styles end at `section`. Its height is the same while loading, so that nothing moves.
const STYLES = new CSSStyleSheet();
STYLES.replaceSync(`
:host{display:block;box-sizing:border-box;width:100%;min-width:0;container-type:inline-size;contain-intrinsic-inline-size:320px}
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
li{display:grid;grid-template-rows:var(--art,10em) minmax(4.5em,auto) auto;gap:.5em;align-content:start;min-width:0}
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
.message{position:absolute;inset:1.25em;display:grid;place-content:center;justify-items:center;gap:.75em;text-align:center}
i{border-radius:12px;background:var(--line)}
i:last-child{height:52px}
@container (max-width:26em){li{--art:8.5em}footer{display:grid}footer p{min-height:1.5em}}
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
  #items = /** @type {Card[] | null} */ (null);
  #words = /** @type {Record<string, string>} */ ({});
  #colors = /** @type {{primaryColor?: string, accentColor?: string}} */ ({});
  #language = /** @type {string | undefined} */ ("");
  #code = false;

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
    return [null, "given"].includes(this.getAttribute("consent"));
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
    this.#colors = {};
    this.#paint();
    const empty = () => element("li", element("i"), element("i"), element("i"));
    this.#render(element("ul", { ariaHidden: "true" }, empty(), empty(), empty()));
    try {
      // The colors keep nobody waiting, and move nothing when they come.
      this.#get(this.#api + "config")
        .then(({ theme }) => {
          if (loading !== this.#loading) return;
          this.#colors = theme ?? {};
          this.#paint();
        })
        .catch(() => {});
      // With the cookie that recognizes a visit.
      const { items: all } = await this.#get(this.#source, this.#consent ? "include" : "omit");
      const items = all.flatMap(usableCard);
      if (all.length && !items.length) throw new Error("no usable gift card");
      if (loading !== this.#loading) return;
      // The shop's own style sheet may have come meanwhile.
      this.#paint();
      this.#items = items;
      await this.#show();
      this.#emit("ready", { count: items.length });
    } catch (error) {
      await this.#translate();
      if (loading !== this.#loading) return;
      this.#render(
        message(this.#words.failed, element("button.button", { onclick: () => this.load() }, this.#words.retry)),
      );
      this.#emit("error", { message: String(error) });
    }
  }

  async #get(url = "", credentials = /** @type {RequestCredentials} */ ("omit")) {
    const response = await fetch(url, { credentials, signal: this.#loading.signal });
    if (!response.ok) throw new Error(`${response.status} ${url}`);
    return url.endsWith(".ftl") ? response.text() : (await response.json()).data;
  }

  // Words in the language of `locale`, else of the page; amounts in that of the page, in the visitor's region.
  async #translate() {
    const own = languageTag(this.getAttribute("locale") ?? "");
    const page = languageTag(this.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang);
    const language = page ?? own;
    this.#language = languageTag(navigator.languages.find((tag) => tag.startsWith(language + "-"))) ?? language;
    const [, name = "en"] = /(?:^| )(da|de|en|es|fi|fr|ja|n[bno]|nl|sv)\b/.exec(`${own} ${page}`) ?? [];
    const known = name.replace(/n[no]/, "nb");
    try {
      const url = new URL(known + ".ftl", import.meta.url).href;
      this.#words = WORDS[known] ??= messages(await this.#get(url));
    } catch {
      this.#words = WORDS.en;
    }
  }

  #paint() {
    const { primaryColor, accentColor } = this.#colors;
    const style = getComputedStyle(this);
    // Nothing but #rrggbb gets into the style sheet.
    const pick = (name = "", from = "", or = "") =>
      [style.getPropertyValue("--gift-card-" + name).trim(), from].find((color) => /^#[0-9a-f]{6}$/i.test(color)) ?? or;
    const brand = pick("color", primaryColor, "#1f3a5f");
    // Up to this luminance white text has a contrast of 4.5, above it black text.
    const [red = 0, green = 0, blue = 0] =
      brand.match(/\w\w/g)?.map((hex) => ((parseInt(hex, 16) + 14.025) / 269.025) ** 2.4) ?? [];
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    const [text, end] = luminance < 0.183 ? ["#fff", "#000"] : ["#000", "#fff"];
    this.#theme.replaceSync(
      `section{--brand:${brand};--on-brand:${text};--accent:${pick("accent", accentColor, "#e4572e")};--end:color-mix(in srgb,${brand},${end} 22%)}`,
    );
  }

  async #show() {
    await this.#translate();
    const words = this.#words;
    const wanted = (this.getAttribute("amounts") ?? "").split(/[\s,;]+/).map(Number);
    const cards = (this.#items ?? []).map((card) => {
      const all = card.denominations;
      const some = wanted.filter((amount) => (all.length ? all.includes(amount) : minor(amount, card.currency)));
      return { ...card, denominations: some.length ? some : all };
    });
    if (!cards[0]) return this.#render(message(words.none));

    const before = choices.get(this.#merchant);
    const kept = cards.find(
      ({ id, denominations: all }) => id === before?.card.id && (!all.length || all.includes(before.amount)),
    );
    let card = kept ?? cards[0];
    let amount = (kept ? before?.amount : card.denominations[(card.denominations.length - 1) >> 1]) ?? 0;
    this.#code = cards.some(({ currency }) => currency !== card.currency);
    const price = () => this.#price(amount, card.currency);

    const list = element("ul.cards", ...cards.map((each) => this.#card(each, each === card ? amount : 0)), {
      oninput: (/** @type {any} */ { target }) => {
        // There is one choice.
        for (const other of list.querySelectorAll("input"))
          if (other !== target) other.type === "radio" ? (other.checked = false) : (other.value = "");
        card = cards[[...list.children].indexOf(target.closest("li"))] ?? card;
        amount = target.type === "radio" || /^\s*[1-9]\d{0,6}\s*$/.test(target.value) ? +target.value : 0;
        choices.set(this.#merchant, { card, amount });
        update();
      },
    });
    const status = element("p.status", { role: "status", dir: "auto" });
    const button = element("button.button", {
      onclick: () => {
        const { id, name, currency } = card;
        if (!amount) return list.children[cards.indexOf(card)].querySelector("input").focus();
        const detail = { id, name, currency, amount, amountMinor: minor(amount, currency) };
        const goesOn = ["gift-card-select", "choose"].map((type) => this.#emit(type, detail));
        if (goesOn.every(Boolean)) status.textContent = fill(words.chosen, `${name}, ${price()}`);
      },
    });
    const update = () => {
      button.textContent = amount ? fill(words.choose, price()) : words.enter;
      status.textContent = card.name;
    };
    update();
    this.#render(list, element("footer.footer", status, button));
  }

  #card(card = /** @type {Card} */ ({}), chosen = 0) {
    const { id, name, currency, imageUrl } = card;
    const onerror = (/** @type {any} */ { target }) => target.remove();
    const amounts = card.denominations.map((value) =>
      element(
        "label.amount",
        element("input", { type: "radio", name: "amount", value, checked: value === chosen }),
        element("bdi", this.#price(value, currency)),
      ),
    );
    return element(
      "li.card",
      element(
        "div.art",
        { ariaHidden: "true" },
        element("b", initials(name)),
        this.#words.card,
        imageUrl ? element("img", { alt: "", src: imageUrl, onerror }) : "",
      ),
      element(
        "div",
        element("h3.name", { dir: "auto" }, name),
        element("p.description", { dir: "auto" }, card.description ?? ""),
      ),
      amounts.length
        ? element("fieldset.amounts", { ariaLabel: fill(this.#words.amounts, name) }, ...amounts)
        : element(
            "label.field",
            fill(this.#words.amount, currency),
            element("input", { name: id, inputMode: "numeric", autocomplete: "off", value: chosen || "" }),
          ),
    );
  }

  #price(amount = 0, currency = "") {
    const digits = Number.isInteger(amount) ? 0 : exponent(currency);
    return new Intl.NumberFormat(this.#language, {
      style: "currency",
      currency,
      currencyDisplay: this.#code ? "code" : "symbol",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(amount);
  }

  // An `error` that bubbles would look like one of a script.
  #emit(type = "", detail = {}) {
    const all = { merchant: this.#merchant, ...detail };
    return this.dispatchEvent(
      new CustomEvent(type, { detail: all, bubbles: type !== "error", composed: true, cancelable: true }),
    );
  }

  /** @param {...HTMLElement} content */
  #render(...content) {
    const heading = this.getAttribute("heading") ?? this.#words.heading ?? "";
    const title = element("h2.heading", { dir: "auto" }, heading);
    this.#root.replaceChildren(element("section.widget", { ariaLabel: heading }, title, ...content));
  }
}

/** `tag.part` with text, elements and properties. Shops may forbid to parse markup. @type {(name: string, ...content: any[]) => any} */
function element(name, ...content) {
  const [tag = "", part = ""] = name.split(".");
  const created = Object.assign(document.createElement(tag), { className: part, part });
  for (const item of content)
    typeof item === "string" || item.nodeType ? created.append(item) : Object.assign(created, item);
  return created;
}

const message = (text = "", more = "") => element("div.message", { role: "alert" }, element("p", text), more);

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

/** Others are left out. @param {Card} card */
function usableCard(card) {
  try {
    new Intl.NumberFormat("en", { style: "currency", currency: card.currency });
    const denominations = card.denominations.filter((amount) => minor(amount, card.currency));
    if (card.id && card.name && (denominations.length || !card.denominations.length))
      return [{ ...card, denominations }];
  } catch {}
  return [];
}

function initials(name = "") {
  const [first = "", ...others] = name.match(/(?<!\S)[\p{L}\p{N}]/gu) ?? [];
  return (first + (others.pop() ?? "")).toLocaleUpperCase();
}

// A page may have the script twice.
customElements.get("gift-card-widget") ?? customElements.define("gift-card-widget", GiftCardWidget);
