// A secret that is shown once.

import { html } from "/kit/vendor/lit.js";
import { copy } from "../shell/copy.js";
import { dialog } from "../forms/dialogs.js";

/** @param {{title: string, text: string, label: string, secret: string}} shown `text`: what it is for */
export function showOnce({ title, text, label, secret }) {
  let said = "";
  return dialog(title, (close, draw) => {
    const copySecret = async () => {
      said = await copy(secret, document.querySelector("#secret"));
      draw();
    };
    return html`<div class="fields">
        <p>${text} Copy it now: <b>it is not shown again</b>. If it is lost, replace it.</p>
        <div class="field">
          <label for="secret">${label}</label>
          <textarea class="input mono" id="secret" rows="3" readonly spellcheck="false" .value=${secret}></textarea>
          <div class="bar">
            <button class="button" type="button" @click=${copySecret}>Copy</button
            ><span class="muted" role="status">${said}</span>
          </div>
        </div>
      </div>
      <footer>
        <button class="button primary" type="button" @click=${() => close()}>I have stored it</button>
      </footer>`;
  });
}
