// The card on paper: what is printed of the page instead of its screens. Rolls of 58 and 80 mm and sheets of A4 differ in
// print.css alone.

import { html, nothing, render } from "/kit/vendor/lit.js";

/**
 * @typedef {object} Ticket
 * @property {{name: string}} merchant
 * @property {{name: string, storeName: string | null}} till
 * @property {string} title
 * @property {string} amount
 * @property {string} code
 * @property {number} at
 */

const sheet = Object.assign(document.createElement("section"), {
  className: "ticket",
  ariaLabel: "Gift card, for printing",
});

/** @param {Ticket} ticket */
export function showTicket({ merchant, till, title, amount, code, at }) {
  const date = new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  const where = [till.storeName, till.name].filter(Boolean).join(", ");
  document.body.append(sheet);
  render(
    html` <p class="ticket-merchant" dir="auto">${merchant.name}</p>
      <p class="ticket-title" dir="auto">${title}</p>
      <p class="ticket-amount"><bdi>${amount}</bdi></p>
      <till-qr .text=${code}></till-qr>
      <p class="ticket-code">${inGroups(code)}</p>
      <p class="ticket-advice">Show this code to pay with it. Keep it like cash: whoever has the code can use it.</p>
      <p class="ticket-sale"><span dir="auto">${where}</span><br /><bdi>${date}</bdi></p>`,
    sheet,
  );
}

export function removeTicket() {
  render(nothing, sheet);
  sheet.remove();
}

/** Four by four, as it is read aloud. Codes that have dashes keep their own. @param {string} code */
function inGroups(code) {
  return code.includes("-") ? code : code.replaceAll(/(.{4})(?=.)/g, "$1 ");
}
