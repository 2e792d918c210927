import { html } from "/kit/vendor/lit.js";

const LONG = 16;

/** The number of an order beside others: of a long one its end, where two differ. @param {string} id */
export function orderNumber(id) {
  return html`<span class="mono muted nowrap" title=${id}>${id.length > LONG ? `…${id.slice(-8)}` : id}</span>`;
}
