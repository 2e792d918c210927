// Which languages the till speaks, and which of them now. It imports nothing and stands first on the page, so that its words are on
// their way while all else is loaded.

/** As each calls itself. Each has a catalogue in languages/. */
export const LANGUAGES = {
  en: "English",
  da: "Dansk",
  de: "Deutsch",
  es: "Español",
  fi: "Suomi",
  fr: "Français",
  ja: "日本語",
  nb: "Norsk bokmål",
  nl: "Nederlands",
  sv: "Svenska",
};

/** @typedef {keyof typeof LANGUAGES} Language */
/** Customers read tickets, receipts, and what is turned to them. @typedef {"till" | "customer"} Reader */

const KEYS = { till: "language", customer: "customer-language" };
/** Norwegian, whatever it is called. */
const SAME = new Map([
  ["no", "nb"],
  ["nn", "nb"],
]);

/** @type {Partial<Record<Reader, Language>>} */
const chosen = {};

/** What was chosen for a reader; null: nothing was. @param {Reader} reader @returns {Language | null} */
export function chosenLanguage(reader) {
  try {
    return languageOf(localStorage.getItem(KEYS[reader]) ?? "");
  } catch {
    return chosen[reader] ?? null; // storage is blocked
  }
}

/** @param {Reader} reader @param {Language | null} language null: no choice */
export function writeLanguage(reader, language) {
  try {
    if (language) localStorage.setItem(KEYS[reader], language);
    else localStorage.removeItem(KEYS[reader]);
  } catch {
    chosen[reader] = language ?? undefined;
  }
}

/** Customers are spoken to as the till speaks, unless something else was chosen. @param {Reader} reader @returns {Language} */
export function languageFor(reader) {
  const choice = chosenLanguage(reader);
  if (choice || reader === "till") return choice ?? preferredLanguage();
  return languageFor("till");
}

/** How amounts and dates are written: in a language as the browser's region does it. @param {Language} language */
export function localeOf(language) {
  return (
    navigator.languages.find((tag) => /^[a-z]{2}(-[a-z0-9]+)*$/i.test(tag) && tag.slice(0, 2) === language) ?? language
  );
}

/** The browser's first language that the till speaks. */
export function preferredLanguage() {
  return navigator.languages.map(languageOf).find((language) => language !== null) ?? "en";
}

/** @param {string} tag @returns {Language | null} */
function languageOf(tag) {
  const [name = ""] = tag.toLowerCase().split(/[^a-z]/);
  const language = SAME.get(name) ?? name;
  return Object.hasOwn(LANGUAGES, language) ? /** @type {Language} */ (language) : null;
}

/** A part of a catalogue. @param {Language} language @param {"" | "-later"} part */
export async function loadMessages(language, part) {
  const response = await fetch(`/languages/${language}${part}.ftl`);
  if (!response.ok) throw new Error(`${response.status} ${response.url}`);
  return response.text();
}

/** What the first screen says. */
export const first = { language: languageFor("till"), messages: loadMessages(languageFor("till"), "") };
