// What the till says: messages of the catalogues in languages/, in the language of the till's people or of the customer.

import { FluentBundle, FluentResource } from "/kit/vendor/fluent.js";
import { first, languageFor, loadCatalogue, localeOf, writeLanguage } from "./language.js";

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
   * @param {string} catalogue
   */
  constructor(language, catalogue) {
    this.language = language;
    this.locale = localeOf(language);
    this.#bundle = new FluentBundle(this.locale, { useIsolating: false });
    this.#bundle.addResource(new FluentResource(catalogue));
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

/** @type {Map<Language, Promise<Wording>>} */
const loaded = new Map([[first.language, first.catalogue.then((catalogue) => new Wording(first.language, catalogue))]]);

let own = await wordingIn(first.language);
let customers = own;
document.documentElement.lang = own.language;

/** @param {string} id @param {Record<string, string | number>} [args] */
export const t = (id, args) => own.t(id, args);
/** @param {string} id @param {Record<string, unknown>} parts */
export const around = (id, parts) => own.around(id, parts);
/** For amounts and dates. */
export const locale = () => own.locale;
/** How customers are spoken to. */
export const forCustomers = () => customers;

/** @param {Reader} reader @param {Language | null} language null: as the browser, or as the till, has it */
export async function chooseLanguage(reader, language) {
  writeLanguage(reader, language);
  await speak();
}

/** Speaks as was chosen last. What cannot be loaded leaves all as it is. */
export async function speak() {
  const [till, customer] = [languageFor("till"), languageFor("customer")];
  const wordings = await Promise.all([wordingIn(till), wordingIn(customer)]).catch(() => null);
  if (!wordings || till !== languageFor("till") || customer !== languageFor("customer")) return;
  [own, customers] = wordings;
  document.documentElement.lang = own.language;
  dispatchEvent(new Event("language"));
}

/** @param {Language} language */
function wordingIn(language) {
  const kept = loaded.get(language);
  if (kept) return kept;
  const wording = loadCatalogue(language).then((catalogue) => new Wording(language, catalogue));
  loaded.set(language, wording);
  wording.catch(() => loaded.delete(language));
  return wording;
}
