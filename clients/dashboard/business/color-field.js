// The colour of the shop and its cards. What is written on it is black or white, whichever can be read.

import { contrast, textOn } from "/kit/brand.js";
import { cssVariables } from "/kit/css-variables.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { field } from "../forms/forms.js";
import { DEFAULT_COLOR } from "../offers/gift-card.js";

/** @param {{chosen: string, error: string | undefined, choose: ((color: string) => void) | null}} given `choose`: null if it is only shown */
export function colorField({ chosen, error, choose }) {
  const color = chosen || DEFAULT_COLOR;
  const text = textOn(color);
  const ratio = contrast(color, text).toFixed(1);
  const legible = `Text on it is ${text === "#ffffff" ? "white" : "black"}, with a contrast of ${ratio} to 1.`;
  const hint = html`<span class="sample" ${cssVariables({ "--card": color, "--card-text": text })}>Gift card</span>
    ${legible}`;
  if (!choose) return html`<p class="bar small muted">${hint}</p>`;
  return html`${field({
    name: "primaryColor",
    label: "Colour of the shop and its cards",
    type: "color",
    value: color,
    hint,
    error,
    oninput: choose,
  })}
  ${chosen ? html`<div><button class="button" type="button" @click=${() => choose("")}>Use the platform's colour</button></div>` : nothing}`;
}
