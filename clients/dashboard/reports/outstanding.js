// What is outstanding: gift cards that were issued and not redeemed yet, month by month.

import { html, nothing, svg } from "/kit/vendor/lit.js";
import { formatMinor, fromMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { formatCount, stat } from "../shell/parts.js";
import { store } from "../shell/store.js";
import { table } from "../shell/table.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["OutstandingByCurrency"]} ByCurrency */
/** @typedef {Schemas["OutstandingMonth"] & {currency: string}} Month */

/** @type {readonly (readonly [string, string])[]} */
export const MONTHS = [
  ["12", "12 months"],
  ["24", "24 months"],
  ["36", "36 months"],
];

/** @param {URLSearchParams} query */
export const monthsOf = (query) =>
  MONTHS.map(([months]) => months).find((months) => months === query.get("months")) ?? "12";

/** @param {Schemas["OutstandingReport"]} report */
export function outstanding({ currencies, asOf }) {
  return html`<p class="muted period">
      As of ${formatDateTime(asOf, store.timeZone)}, by your own sales and redemptions. A card that was reloaded, has
      expired or was changed at the card network, or that was lost in a restore, can make a figure too high, too low or
      negative.
    </p>
    ${currencies.map(ofCurrency)}`;
}

/** @param {ByCurrency} report */
function ofCurrency({ currency, outstandingMinor, months, redeemedOfOthersMinor }) {
  const money = (/** @type {number} */ minor) => formatMinor(minor, currency, { whole: true });
  const rows = months.map((month) => ({ ...month, currency })).reverse();
  const sum = (/** @type {"issuedMinor" | "redeemedMinor"} */ field) => rows.reduce((sum, row) => sum + row[field], 0);
  return html`<section class="panel" aria-label=${`Outstanding in ${currency}`}>
    <dl class="stats">
      ${stat({ label: "Outstanding now", value: money(outstandingMinor) })}
      ${stat({ label: `Issued in ${months.length} months`, value: money(sum("issuedMinor")) })}
      ${stat({ label: "Redeemed from these and older cards", value: money(sum("redeemedMinor")) })}
    </dl>
    ${line(currency, months)} ${table({ caption: `Outstanding in ${currency} by month`, columns: COLUMNS, rows })}
    <footer class="inset">
      ${
        redeemedOfOthersMinor
          ? html`<p class="muted">
              ${money(redeemedOfOthersMinor)} more was redeemed of cards that you have not sold. It is not counted here.
            </p>`
          : nothing
      }
      <a class="button" href=${csv(rows)} download=${`outstanding-${currency}.csv`}>Download table (CSV)</a>
    </footer>
  </section>`;
}

/** @param {"issuedMinor" | "redeemedMinor" | "givenBackMinor" | "outstandingMinor"} field */
const amount = (field) => (/** @type {Month} */ row, /** @type {boolean} */ code) =>
  html`<bdi>${formatMinor(row[field], row.currency, { code })}</bdi>`;

/** @type {import("../shell/table.js").Column<Month>[]} */
const COLUMNS = [
  { title: "Month", cell: ({ month }) => monthName(month), look: "nowrap" },
  { title: "Cards", cell: ({ issuedCount }) => formatCount(issuedCount), number: true, narrow: "hidden" },
  { title: "Issued", cell: amount("issuedMinor"), number: true, narrow: "hidden" },
  { title: "Of which given back", cell: amount("givenBackMinor"), number: true, narrow: "hidden" },
  { title: "Redemptions", cell: ({ redeemedCount }) => formatCount(redeemedCount), number: true, narrow: "hidden" },
  { title: "Redeemed", cell: amount("redeemedMinor"), number: true, narrow: "hidden" },
  { title: "Outstanding at month end", cell: amount("outstandingMinor"), number: true, narrow: "end" },
];

/** @param {string} month */
const monthName = (month) =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString(undefined, { month: "short", year: "numeric", timeZone: "UTC" });

/** The line says nothing that the table below does not. @param {string} currency @param {Schemas["OutstandingMonth"][]} months */
function line(currency, months) {
  const values = months.map((month) => month.outstandingMinor);
  const [first, last] = [months[0], months.at(-1)];
  if (!first || !last || values.every((value) => value === values[0])) return nothing;
  const [top, bottom] = [Math.max(0, ...values), Math.min(0, ...values)];
  const height = (/** @type {number} */ value) => (98 - ((value - bottom) / (top - bottom)) * 96).toFixed(1);
  const points = values.map((value, i) => `${((i / (values.length - 1)) * 100).toFixed(1)},${height(value)}`);
  const label = `Outstanding at the end of each month: ${formatMinor(first.outstandingMinor, currency)} in ${monthName(first.month)}, ${formatMinor(last.outstandingMinor, currency)} now`;
  return html`<figure class="inset months">
    <svg class="spark mirror" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label=${label}>
      ${svg`<path class="area" d=${`M0,${height(0)} L${points.join(" L")} L100,${height(0)}Z`}/><path class="line" d=${`M${points.join(" L")}`}/>`}
    </svg>
    <figcaption class="small muted" aria-hidden="true">
      <span>${monthName(first.month)}</span><span>now</span>
    </figcaption>
  </figure>`;
}

/** Amounts as plain digits, for spreadsheets. @param {Month[]} rows */
function csv(rows) {
  const fields = /** @type {const} */ (["issuedMinor", "givenBackMinor", "redeemedMinor", "outstandingMinor"]);
  const lines = rows.map((row) =>
    [
      row.month,
      row.currency,
      row.issuedCount,
      row.redeemedCount,
      ...fields.map((field) => fromMinor(row[field], row.currency)),
    ].join(","),
  );
  const heading = "month,currency,issuedCount,redeemedCount,issued,givenBack,redeemed,outstanding";
  return `data:text/csv;charset=utf-8,${encodeURIComponent([heading, ...lines, ""].join("\r\n"))}`;
}
