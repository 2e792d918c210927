// What the till says: messages of the catalogues in languages/, in the language of the till's people or of the customer.

import { FluentBundle, FluentResource } from "/kit/vendor/fluent.js";
import { first, languageFor, loadMessages, localeOf, writeLanguage } from "./language.js";

/** @typedef {import("./language.js").Language} Language */
/** @typedef {import("./language.js").Reader} Reader */
/** What is to be said, before a language is chosen. @typedef {[id: string, args?: Record<string, string | number>]} Message */

/** Stand for parts of the page while a message is formatted. */
const FIRST_MARK = 0xe000;
const MARKS = /([\ue000-\ue0ff])/;

export class Wording {
  #bundle;

  /**
   * @param {Language} language
   * @param {string} messages
   */
  constructor(language, messages) {
    this.language = language;
    this.locale = localeOf(language);
    this.#bundle = new FluentBundle(this.locale, { useIsolating: false });
    this.#bundle.addResource(new FluentResource(messages));
  }

  /**
   * @param {string} id
   * @param {Record<string, string | number>} [args]
   * @returns {string}
   */
  t(id, args) {
    const pattern = this.#bundle.getMessage(id)?.value;
    return pattern ? this.#bundle.formatPattern(pattern, args) : id;
  }

  /**
   * A message around parts of the page, such as an amount that is not broken.
   *
   * @param {string} id
   * @param {Record<string, unknown>} parts
   */
  around(id, parts) {
    const names = Object.keys(parts);
    const marks = names.map((name, index) => [name, String.fromCharCode(FIRST_MARK + index)]);
    const pieces = this.t(id, Object.fromEntries(marks)).split(MARKS);
    return pieces.map((piece, index) => (index % 2 ? parts[names[piece.charCodeAt(0) - FIRST_MARK] ?? ""] : piece));
  }
}

/** Whole catalogues, by their languages. @type {Map<Language, Promise<Wording>>} */
const catalogues = new Map();

let own = new Wording(first.language, await first.messages);
let customers = own;
introduce();

/** @param {string} id @param {Record<string, string | number>} [args] */
export const t = (id, args) => own.t(id, args);
/** @param {string} id @param {Record<string, unknown>} parts */
export const around = (id, parts) => own.around(id, parts);
/** For amounts and dates. */
export const locale = () => own.locale;
/** How customers are spoken to. */
export const forCustomers = () => customers;

/** What cannot be loaded leaves all as it is. @param {Reader} reader @param {Language | null} language null: no choice */
export async function chooseLanguage(reader, language) {
  writeLanguage(reader, language);
  await speak().catch(() => {});
}

/** All that the till can say, in the languages that were chosen last. @returns {Promise<void>} */
export async function speak() {
  const [till, customer] = [languageFor("till"), languageFor("customer")];
  const whole = await catalogueOf(till);
  // Better in another language than not at all.
  const forThem = await catalogueOf(customer).catch(() => whole);
  // Another was chosen meanwhile.
  if (till !== languageFor("till") || customer !== languageFor("customer")) return speak();
  if (own === whole && customers === forThem) return;
  [own, customers] = [whole, forThem];
  introduce();
  dispatchEvent(new Event("language"));
}

function introduce() {
  document.documentElement.lang = own.language;
  document.title = own.t("document-title");
  const manifest = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=manifest]"));
  manifest.href = `/manifests/${own.language}.webmanifest`;
}

/** @param {Language} language */
function catalogueOf(language) {
  const kept = catalogues.get(language);
  if (kept) return kept;
  const firstPart = language === first.language ? first.messages : loadMessages(language, "");
  const catalogue = Promise.all([firstPart, loadMessages(language, "-later")]).then(
    (parts) => new Wording(language, parts.join("\n")),
  );
  catalogues.set(language, catalogue);
  // The next one to need it asks again.
  catalogue.catch(() => catalogues.delete(language));
  return catalogue;
}
