// The latest requests to the API, newest first.

import { html, nothing } from "/kit/vendor/lit.js";
import { LivePage, skeleton, statusBadge, timeOfDay } from "../live-page.js";

/** @typedef {{at: string, method: string, path: string, status: number, function: string | null, milliseconds: number}} AnsweredRequest */

/** @extends {LivePage<AnsweredRequest[]>} */
class RequestsPage extends LivePage {
  static properties = { ...LivePage.properties, onlyFailed: { state: true } };

  constructor() {
    super();
    this.onlyFailed = false;
  }

  get source() {
    return "/__local/requests";
  }

  render() {
    return html` <header class="head">
        <h1 tabindex="-1">Requests</h1>
        <div class="segmented" role="group" aria-label="Filter">
          <button aria-pressed=${!this.onlyFailed} @click=${() => (this.onlyFailed = false)}>All</button>
          <button aria-pressed=${this.onlyFailed} @click=${() => (this.onlyFailed = true)}>Failed</button>
        </div>
      </header>
      ${this.renderFailure()} ${this.data === null ? skeleton() : this.renderRequests(this.data)}`;
  }

  /** @param {AnsweredRequest[]} all */
  renderRequests(all) {
    const shown = all.filter(({ status }) => !this.onlyFailed || status >= 400).toReversed();
    if (shown.length === 0) {
      return this.onlyFailed
        ? html`<div class="panel empty">
            <b>No request failed</b><button class="button" @click=${() => (this.onlyFailed = false)}>Show all</button>
          </div>`
        : html`<div class="panel empty">
            <b>No requests yet</b>
            <p>Requests of the clients, of curl and of your own code appear here.</p>
          </div>`;
    }
    return html`<div class="panel table requests">
      <table role="table" aria-label="Requests">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">Time</th>
            <th role="columnheader">Request</th>
            <th role="columnheader">Status</th>
            <th role="columnheader">Function</th>
            <th role="columnheader" class="num">Duration</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${shown.map(
            (request) =>
              html`<tr role="row">
                <td role="cell" class="time faint">${timeOfDay(request.at)}</td>
                <td role="cell" class="path">
                  <span class="mono wrap"><b>${request.method}</b> ${request.path}</span>
                </td>
                <td role="cell" class="answer">${statusBadge(request.status)}</td>
                <td role="cell" class="function">${request.function ?? nothing}</td>
                <td role="cell" class="num duration">${request.milliseconds} ms</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }
}

customElements.define("x-requests-page", RequestsPage);
