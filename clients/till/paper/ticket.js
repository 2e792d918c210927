// The card on paper: what is printed of the page instead of its screens. Rolls of 58 and 80 mm and sheets of A4 differ in
// print.css alone.

import { config } from "/config.js";
import { html, nothing, render } from "/kit/vendor/lit.js";
import { forCustomers } from "../shell/text.js";

/**
 * @typedef {object} Ticket
 * @property {{name: string, slug: string}} merchant
 * @property {{name: string, storeName: string | null}} till
 * @property {string} title
 * @property {string} amount
 * @property {string} code
 * @property {string | null} expiresAt null: not known
 * @property {number} at
 */

/**
 * What a customer keeps of a redemption. It has no code: whoever finds it cannot use the card.
 *
 * @typedef {object} Receipt
 * @property {{name: string, slug: string}} merchant
 * @property {{name: string, storeName: string | null}} till
 * @property {number} at
 * @property {[string, string][]} lines names and values
 * @property {string} amount
 */

const sheet = Object.assign(document.createElement("section"), { className: "ticket" });

/** @param {Ticket} ticket */
export function showTicket({ merchant, till, title, amount, code, expiresAt, at }) {
  const words = forCustomers();
  show(
    html` <p class="ticket-merchant" dir="auto">${merchant.name}</p>
      <p class="ticket-title" dir="auto">${title}</p>
      <p class="ticket-amount"><bdi>${amount}</bdi></p>
      <till-qr .text=${code}></till-qr>
      <p class="ticket-code">${inGroups(code)}</p>
      ${
        expiresAt
          ? html`<p class="ticket-valid">
              ${words.t("ticket-valid-to", { date: dateFor(words, expiresAt, { dateStyle: "medium" }) })}
            </p>`
          : nothing
      }
      <p class="ticket-advice">${words.t("ticket-advice")}</p>
      ${balanceAt(merchant)}${sale(till, at)}`,
  );
}

/** @param {Receipt} receipt */
export function showReceipt({ merchant, till, at, lines, amount }) {
  show(
    html` <p class="ticket-merchant" dir="auto">${merchant.name}</p>
      <p class="ticket-title">${forCustomers().t("receipt-title")}</p>
      <p class="ticket-amount"><bdi>${amount}</bdi></p>
      <dl class="ticket-lines">
        ${lines.map(
          ([name, value]) =>
            html`<div>
              <dt>${name}</dt>
              <dd><bdi>${value}</bdi></dd>
            </div>`,
        )}
      </dl>
      ${balanceAt(merchant)}${sale(till, at)}`,
  );
}

/** Where a customer sees what is left on a card, once they have entered its code. @param {{slug: string}} merchant */
export const balancePage = ({ slug }) => `${config.storefront}/${encodeURIComponent(slug)}/card`;

/** @param {{slug: string}} merchant */
function balanceAt(merchant) {
  return html`<p class="ticket-page">
    ${forCustomers().t("paper-balance")}<br /><bdi>${balancePage(merchant).replace(/^https?:\/\//, "")}</bdi>
  </p>`;
}

/**
 * @param {Ticket["till"]} till
 * @param {number} at
 */
function sale({ storeName, name }, at) {
  const date = dateFor(forCustomers(), at, { dateStyle: "medium", timeStyle: "short" });
  const where = [storeName, name].filter(Boolean).join(", ");
  return html`<p class="ticket-sale"><span dir="auto">${where}</span><br /><bdi>${date}</bdi></p>`;
}

/**
 * @param {import("../shell/text.js").Wording} words
 * @param {string | number} at
 * @param {Intl.DateTimeFormatOptions} options
 */
function dateFor({ locale }, at, options) {
  return new Intl.DateTimeFormat(locale, options).format(new Date(at));
}

/** @param {import("/kit/vendor/lit.js").TemplateResult} content */
function show(content) {
  sheet.lang = forCustomers().language;
  sheet.ariaLabel = forCustomers().t("paper-label");
  document.body.append(sheet);
  render(content, sheet);
}

export function removeTicket() {
  render(nothing, sheet);
  sheet.remove();
}

/** Four by four, as it is read aloud. Codes that have dashes keep their own. @param {string} code */
function inGroups(code) {
  return code.includes("-") ? code : code.replaceAll(/(.{4})(?=.)/g, "$1 ");
}
