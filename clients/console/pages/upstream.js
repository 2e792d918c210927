// Calls that the simulators of the card network and the identity verifier received, newest first.

import { html } from "/kit/vendor/lit.js";
import { LivePage, skeleton, statusBadge } from "../live-page.js";

/** @typedef {{target: string, method: string, path: string, headers: Record<string, string>, body: unknown, status: number | null}} UpstreamCall */

const MAX_SHOWN = 200;
const TARGETS = new Map([
  ["card-network", "Card network"],
  ["verifier", "Identity verifier"],
]);

/** @extends {LivePage<UpstreamCall[]>} */
class UpstreamPage extends LivePage {
  get source() {
    return "/__local/upstream-calls";
  }

  render() {
    return html`<h1 tabindex="-1">Upstream calls</h1>
      ${this.renderFailure()} ${this.data === null ? skeleton() : this.renderCalls(this.data)}`;
  }

  /** @param {UpstreamCall[]} calls */
  renderCalls(calls) {
    if (calls.length === 0)
      return html`<div class="panel empty">
        <b>No calls yet</b>
        <p>Calls of the functions to the card network and the identity verifier appear here.</p>
      </div>`;
    const latest = calls
      .slice(-MAX_SHOWN)
      .map((call, index, shown) => ({ call, number: calls.length - shown.length + index + 1 }))
      .toReversed();
    return html` ${calls.length > MAX_SHOWN ? html`<p class="muted">The latest ${MAX_SHOWN} of ${calls.length.toLocaleString()}</p>` : ""}
      <ul class="panel calls">
        ${latest.map(
          ({ call, number }) =>
            html`<li>
              <details>
                <summary>
                  <span class="faint number">${number}</span>
                  <span class="target">${TARGETS.get(call.target) ?? call.target}</span>
                  <span class="mono wrap"><b>${call.method}</b> ${call.path}</span>
                  ${statusBadge(call.status)}
                </summary>
                <pre class="mono" tabindex="0" aria-label="Headers and body of call ${number}">${describe(call)}</pre>
              </details>
            </li>`,
        )}
      </ul>`;
  }
}

/** Headers and body, as text. @param {UpstreamCall} call */
function describe({ headers, body }) {
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
  if (body === "" || body === null) return lines;
  return `${lines}\n\n${typeof body === "string" ? body : JSON.stringify(body, null, 2)}`;
}

customElements.define("x-upstream-page", UpstreamPage);
