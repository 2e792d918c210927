import { html, svg } from "/kit/vendor/lit.js";

const PATHS = {
  overview: svg`<path d="m2.5 7.5 5.5-5 5.5 5v6h-4v-4h-3v4h-4z"/>`,
  orders: svg`<path d="M4 1.8h8v12.7l-2-1.2-2 1.2-2-1.2-2 1.2zM6.2 5h3.6M6.2 8h3.6"/>`,
  cards: svg`<rect x="1.8" y="3.3" width="12.4" height="9.4" rx="1.5"/><path d="M1.8 6.5h12.4M4.5 10h2.5"/>`,
  offers: svg`<path d="M2.2 2.2h5.3l6.3 6.3-5.3 5.3-6.3-6.3z"/><circle cx="5.3" cy="5.3" r=".9"/>`,
  payouts: svg`<path d="m2 6 6-3.7L14 6zM3.5 6.5v5M6.5 6.5v5M9.5 6.5v5M12.5 6.5v5M2 13.5h12"/>`,
  reports: svg`<path d="M2.5 13.5V9M6.2 13.5V3M9.8 13.5V6.5M13.5 13.5v-3"/>`,
  stores: svg`<path d="M2.5 7v6.5h11V7M1.8 5.5 3 2.5h10l1.2 3c0 1-.8 1.7-1.6 1.7S11 6.5 11 5.5c0 1-.7 1.7-1.5 1.7S8 6.5 8 5.5c0 1-.7 1.7-1.5 1.7S5 6.5 5 5.5c0 1-.8 1.7-1.6 1.7S1.8 6.5 1.8 5.5zM6.5 13.5V10h3v3.5"/>`,
  team: svg`<circle cx="6" cy="5" r="2.5"/><path d="M1.5 13.5c0-2.8 2-4.3 4.5-4.3s4.5 1.5 4.5 4.3M10.5 2.8a2.4 2.4 0 0 1 0 4.5M12 9.6c1.6.6 2.5 2 2.5 3.9"/>`,
  webhooks: svg`<path d="M6.5 3h-4v10.5H13v-4M9.5 2.5h4v4M13.5 2.5 7 9"/>`,
  business: svg`<path d="M3 13.5v-11h6v11M9 6h4v7.5M1.8 13.5h12.4M5.2 5.5h1.6M5.2 8h1.6M5.2 10.5h1.6"/>`,
  application: svg`<path d="M4 1.8h5.5L12.5 5v9.2H4zM9.2 2v3.3h3M6.2 8.5h4M6.2 11h4"/>`,
  menu: svg`<path d="M2 4.5h12M2 8h12M2 11.5h12"/>`,
  close: svg`<path d="m3.5 3.5 9 9m0-9-9 9"/>`,
  search: svg`<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>`,
  moon: svg`<path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z"/>`,
  leave: svg`<path d="M6 2.5H2.5v11H6M10.5 4.8 13.7 8l-3.2 3.2M13.5 8H6"/>`,
  table: svg`<path d="M2 3h12v10H2zM2 6.3h12M2 9.6h12M6.5 3v10"/>`,
  chart: svg`<path d="M2.5 13.5V9M6.2 13.5V3M9.8 13.5V6.5M13.5 13.5v-3"/>`,
  warn: svg`<path d="M8 5v4M8 11.3v.4M8 1.8 1.3 13.5h13.4z"/>`,
  info: svg`<circle cx="8" cy="8" r="6"/><path d="M8 7.3v4M8 4.6V5"/>`,
  open: svg`<circle cx="8" cy="8" r="6" stroke-dasharray="2.4 2.2"/>`,
  done: svg`<circle cx="8" cy="8" r="6"/><path d="m5.3 8.2 2 2 3.5-4.2"/>`,
  back: svg`<path d="M9.5 3.5 5 8l4.5 4.5"/>`,
  next: svg`<path d="M6.5 3.5 11 8l-4.5 4.5"/>`,
  up: svg`<path d="M6 10V2.3M2.8 5.3 6 2.2l3.2 3.1"/>`,
  down: svg`<path d="M6 2v7.7M2.8 6.7 6 9.8l3.2-3.1"/>`,
};

/** @typedef {keyof typeof PATHS} IconName */

/**
 * @param {IconName} name
 * @param {{mirror?: boolean}} [options] `mirror`: points along the text
 */
export function icon(name, { mirror = false } = {}) {
  const box = name === "up" || name === "down" ? "0 0 12 12" : "0 0 16 16";
  return html`<svg
    class=${mirror ? "icon mirror" : "icon"}
    viewBox=${box}
    fill="none"
    stroke="currentColor"
    stroke-width="1.4"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    ${PATHS[name]}
  </svg>`;
}
