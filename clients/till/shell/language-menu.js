// The languages in the till's menu: of the till's people, and of what customers get.

import { html } from "/kit/vendor/lit.js";
import { LANGUAGES, chosenLanguage, languageFor, preferredLanguage } from "./language.js";
import { chooseLanguage, t } from "./text.js";

/** @typedef {import("./language.js").Language} Language */
/** @typedef {import("./language.js").Reader} Reader */

export function languageMenu() {
  const browser = LANGUAGES[preferredLanguage()];
  const till = LANGUAGES[languageFor("till")];
  return html` ${picker("till", t("menu-language"), t("menu-language-browser", { language: browser }))}
  ${picker("customer", t("menu-customer-language"), t("menu-customer-language-till", { language: till }))}`;
}

/**
 * @param {Reader} reader
 * @param {string} label
 * @param {string} usual where nothing is chosen
 */
function picker(reader, label, usual) {
  const chosen = chosenLanguage(reader);
  const choose = (/** @type {{target: HTMLSelectElement}} */ { target }) =>
    chooseLanguage(reader, target.value === "" ? null : /** @type {Language} */ (target.value));
  return html` <div class="field">
    <label for="${reader}-language">${label}</label>
    <select id="${reader}-language" class="input" @change=${choose}>
      <option value="" ?selected=${chosen === null}>${usual}</option>
      ${Object.entries(LANGUAGES).map(
        ([language, name]) =>
          html`<option value=${language} lang=${language} ?selected=${language === chosen}>${name}</option>`,
      )}
    </select>
  </div>`;
}
