// When something may be tried again. The seconds are seen only: spoken, they would interrupt all else.

import { html } from "/kit/vendor/lit.js";
import { t } from "./text.js";
import { View } from "./view.js";

class Countdown extends View {
  static properties = { until: { attribute: false } };

  constructor() {
    super();
    /** Milliseconds since 1970. */
    this.until = 0;
    this.spoken = "";
    this.timer = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => this.requestUpdate(), 1000);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("until")) this.spoken = advice(this.until);
  }

  render() {
    return html`<span class="sr">${this.spoken}</span><span aria-hidden="true">${advice(this.until)}</span>`;
  }
}

/** @param {number} until */
function advice(until) {
  const seconds = Math.ceil((until - Date.now()) / 1000);
  if (seconds <= 0) return t("retry-now");
  return seconds < 100 ? t("retry-seconds", { seconds }) : t("retry-minutes", { minutes: Math.ceil(seconds / 60) });
}

/** @param {number | null} until null: nothing to wait for */
export function countdown(until) {
  return until === null ? "" : html`<till-countdown .until=${until}></till-countdown>`;
}

customElements.define("till-countdown", Countdown);
