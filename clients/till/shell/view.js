// What the till's views share.

import { LitElement, html, svg } from "/kit/vendor/lit.js";

/** A view in the light DOM, so that the page's styles apply. */
export class View extends LitElement {
  #translate = () => this.requestUpdate();

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener("language", this.#translate);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("language", this.#translate);
  }

  /**
   * Moves the focus to the heading of a new step, where reading goes on.
   */
  async focusHeading() {
    await this.updateComplete;
    const heading = this.querySelector("h1");
    if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
  }
}

const line = (/** @type {string} */ d) =>
  svg`<path d=${d} fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>`;

const ICONS = {
  done: line("m6 12.5 4 4 8-9"),
  refused: line("m7 7 10 10M17 7 7 17"),
  notSent: line("M5 12h14"),
  unknown: svg`<circle cx="12" cy="12" r="7" fill="none" stroke="currentColor" stroke-width="3" stroke-dasharray="3.3 2.2"/>`,
  warning: svg`<path d="M12 5v8.5M12 18v.5" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round"/>`,
  circle: svg`<circle cx="12" cy="12" r="6" fill="none" stroke="currentColor" stroke-width="2.4"/>`,
  back: line("m14.5 5-7 7 7 7"),
  erase: line("M8.5 6H20v12H8.5L3 12zM11.5 9.5l5 5m0-5-5 5"),
  camera: line("M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M8 9v6M12 9v6M16 9v6"),
  redeem: line("M4 7h16v10H4zM4 11h16"),
  sell: line("M12 5v14M5 12h14"),
  send: line("M4 6h16v12H4zM4 7l8 6 8-6"),
  print: line("M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z"),
  today: line("M5 7h14M5 12h14M5 17h9"),
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  return html`<svg viewBox="0 0 24 24" class=${name === "back" ? "mirror" : ""} aria-hidden="true">
    ${ICONS[name]}
  </svg>`;
}

/** @param {string} ref */
export function cardRef(ref) {
  return html`<bdi class="mono">•••• ${ref}</bdi>`;
}

/**
 * How the amount of a step looks: muted while there is none, smaller where it would not fit.
 *
 * @param {number} amount minor units
 */
export function amountClass(amount) {
  return amount === 0 ? "zero" : amount >= 10_000_000 ? "long" : "";
}
