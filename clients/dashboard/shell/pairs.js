// Names with their values.

import { html } from "/kit/vendor/lit.js";

/** Those without a value are left out. @param {(readonly [string, unknown])[]} list @param {string} [none] */
export function pairs(list, none = "Nothing yet") {
  const known = list.filter(([, value]) => value);
  if (known.length === 0) return html`<p class="none faint">${none}</p>`;
  return html`<dl class="pairs inset">${known.map(([name, value]) => pair(name, value))}</dl>`;
}

/** @param {string} name @param {unknown} value */
export function pair(name, value) {
  return html`<div>
    <dt>${name}</dt>
    <dd dir="auto">${value}</dd>
  </div>`;
}
