// An offer as the card that customers get: its image, or drawn with its name and price in the merchant's colour.

import { html } from "/kit/vendor/lit.js";
import { parseColor, shade, textOn } from "/kit/brand.js";
import { cssVariables } from "/kit/css-variables.js";
import { api } from "../shell/api.js";
import { store } from "../shell/store.js";

export const DEFAULT_COLOR = "#1f4f5f";

/** The colour of the merchant's shop, which only an active merchant has. Without an answer, there are cards all the same. */
export async function loadColor() {
  const { slug, status } = store.session?.merchant ?? {};
  if (!slug || status !== "ACTIVE") return DEFAULT_COLOR;
  const params = { path: { slug } };
  const answer = await api.GET("/api/merchants/{slug}", { params, credentials: "omit" }).catch(() => null);
  return parseColor(answer?.data?.data.primaryColor) ?? DEFAULT_COLOR;
}

/** @param {{image: string | null, name: string, price: unknown, color: string | undefined}} card */
export function giftCard({ image, name, price, color = DEFAULT_COLOR }) {
  const colors = { "--card": color, "--card-end": shade(color), "--card-text": textOn(color) };
  return html`<div class=${image ? "gift-card pictured" : "gift-card"} ${cssVariables(colors)}>
    <span class="small wrap" dir="auto" aria-hidden="true">${store.session?.merchant?.name}</span>
    ${image ? imageOver(image) : html`<span><b class="wrap" dir="auto">${name}</b><span>${price}</span></span>`}
  </div>`;
}

/** In place of what is drawn, unless it cannot be loaded. @param {string} address */
function imageOver(address) {
  /** @param {boolean} hidden @returns {(event: Event) => void} */
  const set = (hidden) => (event) => {
    const image = /** @type {HTMLElement} */ (event.target);
    image.hidden = hidden;
    image.parentElement?.classList.toggle("pictured", !hidden);
  };
  return html`<img src=${address} alt="" loading="lazy" @error=${set(true)} @load=${set(false)} />`;
}
