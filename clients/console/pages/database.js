// What each function consumes of DynamoDB, and its calls of S3.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { send } from "../control.js";
import { LivePage, skeleton } from "../live-page.js";

/** @typedef {{calls: number, readUnits: number, writeUnits: number}} Use */
/** @typedef {Record<string, Record<string, Use>>} Usage by function and operation */

/** @extends {LivePage<Usage>} */
class DatabasePage extends LivePage {
  static properties = { ...LivePage.properties, problem: { state: true } };

  constructor() {
    super();
    this.problem = false;
  }

  get source() {
    return "/__local/usage";
  }

  reset = once(async () => {
    try {
      await send("DELETE", "/__local/usage");
      this.problem = false;
      await this.refresh();
    } catch {
      this.problem = true;
    }
  });

  render() {
    return html` <header class="head">
        <h1 tabindex="-1">Database</h1>
        <button class="button" @click=${this.reset}>Count from now</button>
      </header>
      <p class="muted">
        Consumed capacity of DynamoDB by function. <i>local</i> is this program itself: fixtures and streams.
      </p>
      ${this.renderFailure()}
      ${this.problem ? html`<p class="notice bad" role="alert"><span aria-hidden="true">✕</span><span>The counters could not be reset. Nothing was changed. Try again.</span></p>` : nothing}
      ${this.data === null ? skeleton() : this.renderUsage(this.data)}`;
  }

  /** @param {Usage} usage */
  renderUsage(usage) {
    const functions = Object.entries(usage).map(([name, operations]) => ({
      name,
      operations: Object.entries(operations),
      total: sum(Object.values(operations)),
    }));
    if (functions.length === 0)
      return html`<div class="panel empty">
        <b>No calls yet</b>
        <p>Calls of the functions to DynamoDB and S3 appear here.</p>
      </div>`;
    functions.sort((one, other) => units(other.total) - units(one.total));
    return html`<div class="panel table usage">
      <table aria-label="Usage by function">
        <thead>
          <tr>
            <th scope="col">Function</th>
            <th scope="col" class="num">Calls</th>
            <th scope="col" class="num">Read units</th>
            <th scope="col" class="num">Write units</th>
          </tr>
        </thead>
        ${functions.map(
          ({ name, operations, total }) =>
            html`<tbody>
              <tr class="total">
                <th scope="rowgroup">${name}</th>
                ${cells(total)}
              </tr>
              ${operations.map(
                ([operation, use]) =>
                  html`<tr>
                    <th scope="row">${operation}</th>
                    ${cells(use)}
                  </tr>`,
              )}
            </tbody>`,
        )}
      </table>
    </div>`;
  }
}

/** @param {Use} use */
const cells = ({ calls, readUnits, writeUnits }) =>
  [calls, readUnits, writeUnits].map(
    (value) =>
      html`<td class="num ${value === 0 ? "faint" : ""}">
        ${value.toLocaleString(undefined, { maximumFractionDigits: 1 })}
      </td>`,
  );

/** @param {Use} use */
const units = ({ readUnits, writeUnits }) => readUnits + writeUnits;

/** @param {Use[]} uses @returns {Use} */
const sum = (uses) =>
  uses.reduce(
    (total, { calls, readUnits, writeUnits }) => ({
      calls: total.calls + calls,
      readUnits: total.readUnits + readUnits,
      writeUnits: total.writeUnits + writeUnits,
    }),
    { calls: 0, readUnits: 0, writeUnits: 0 },
  );

customElements.define("x-database-page", DatabasePage);
