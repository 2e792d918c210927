// Tables: one markup. Explicit roles, since the layout of narrow screens, where each row is two lines, drops those of the elements.

import { html, ifDefined } from "/kit/vendor/lit.js";

/**
 * A column: its heading, and what stands in its cells; `code`: amounts have the codes of their currencies, since rows have several. `narrow` says what becomes of it on a narrow screen: at the end of its
 * line, or not there.
 * @template Row
 * @typedef {{title: string, cell: (row: Row, code: boolean) => unknown, number?: boolean, narrow?: "end" | "hidden", look?: string}} Column
 */

/**
 * @template Row
 * @param {{caption: string, columns: Column<Row>[], rows: readonly Row[], linked?: boolean}} table `linked`: each row leads to
 *     the page of its first link
 */
export function table({ caption, columns, rows, linked = false }) {
  const rowClass = linked ? "link" : undefined;
  const code = isMixed(rows);
  return html`<div class="table">
    <table role="table">
      <caption class="sr">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(heading)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row" class=${ifDefined(rowClass)}>
              ${columns.map((one) => cell(one, row, code))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** @template Row @param {Column<Row>} column */
function heading({ title, number }) {
  return html`<th role="columnheader" scope="col" class=${ifDefined(number ? "num" : undefined)}>${title}</th>`;
}

/** @template Row @param {Column<Row>} column @param {Row} row @param {boolean} code */
function cell({ cell, number, narrow, look }, row, code) {
  const atEnd = narrow === "end" ? "end" : narrow === "hidden" ? "wide-only" : "";
  const names = [number ? "num" : "", atEnd, look ?? ""].filter(Boolean).join(" ");
  return html`<td role="cell" class=${names}>${cell(row, code)}</td>`;
}

/** Whether amounts of several currencies stand together. @param {readonly unknown[]} rows */
export const isMixed = (rows) =>
  new Set(rows.map((row) => /** @type {{currency?: string} | null} */ (row)?.currency)).size > 1;
