// Shows the HTML of a mail without giving it any power. The page's policy forbids markup from strings and inline styles, and a
// frame without a document of its own inherits that policy. So the few elements that mails consist of are created one by
// one: what is not in the list below is left out. Scripts, forms, images and event handlers are not in it.

const ELEMENTS = new Set(["div", "p", "span", "a", "b", "strong", "i", "em", "br", "hr", "h1", "h2", "h3", "ul", "ol", "li", "table", "tbody", "tr", "td", "code"]);
const EMPTY = new Set(["br", "hr"]);
/** Their content is no text of the mail. */
const SKIPPED = new Set(["head", "script", "style", "title", "template"]);
const TOKEN = /<!--[\s\S]*?-->|<!doctype[^>]*>|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>|[^<]+|</gi;
const ENTITIES = new Map([["amp", "&"], ["lt", "<"], ["gt", ">"], ["quot", '"'], ["apos", "'"], ["nbsp", "\u00a0"]]);

class MailBody extends HTMLElement {
  #root = this.attachShadow({ mode: "open" });

  /** @param {string} markup */
  set markup(markup) {
    this.#root.replaceChildren(parse(markup));
  }
}

/** @param {string} markup @returns {Node} */
function parse(markup) {
  const body = document.createElement("div");
  /** Open elements with the names of their tags; those that are left out have no element. @type {{name: string, element: HTMLElement | null}[]} */
  const open = [];
  const parent = () => open.findLast(({ element }) => element)?.element ?? body;
  for (const [token, slash, tag, attributes = ""] of markup.matchAll(TOKEN)) {
    const name = tag?.toLowerCase();
    if (slash) {
      const start = open.findLastIndex((each) => each.name === name);
      if (start >= 0) open.length = start;
    } else if (open.some((each) => SKIPPED.has(each.name))) {
      continue;
    } else if (name === undefined) {
      if (!token.startsWith("<")) parent().append(decode(token));
    } else if (name === "body") {
      style(body, attributes);
    } else if (ELEMENTS.has(name)) {
      const element = document.createElement(name);
      style(element, attributes);
      if (element instanceof HTMLAnchorElement) link(element, attributes);
      parent().append(element);
      if (!EMPTY.has(name)) open.push({ name, element });
    } else if (SKIPPED.has(name)) {
      open.push({ name, element: null });
    }
  }
  return body;
}

/** @param {string} attributes @param {string} name */
const attribute = (attributes, name) => decode(new RegExp(`\\s${name}="([^"]*)"`, "i").exec(attributes)?.[1] ?? "");

/** @param {HTMLElement} element @param {string} attributes */
function style(element, attributes) {
  element.style.cssText = attribute(attributes, "style");
}

/** @param {HTMLAnchorElement} element @param {string} attributes */
function link(element, attributes) {
  const href = attribute(attributes, "href");
  if (/^https?:\/\//i.test(href)) Object.assign(element, { href, target: "_blank", rel: "noopener" });
}

/** @param {string} text */
const decode = (text) => text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/gi, (entity, decimal, hexadecimal, name) => {
  if (name) return ENTITIES.get(name.toLowerCase()) ?? entity;
  const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hexadecimal, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
});

customElements.define("x-mail-body", MailBody);
