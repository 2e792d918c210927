// Calls that the simulators of the card network and the identity verifier received, newest first, and new accounts at the network.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { send } from "../control.js";
import { LivePage, skeleton, statusBadge } from "../live-page.js";

/** @typedef {{target: string, method: string, path: string, headers: Record<string, string>, body: unknown, status: number | null}} UpstreamCall */

const MAX_SHOWN = 200;
const TARGETS = new Map([
  ["card-network", "Card network"],
  ["verifier", "Identity verifier"],
]);

/** @extends {LivePage<UpstreamCall[]>} */
class UpstreamPage extends LivePage {
  static properties = { ...LivePage.properties, account: { state: true }, problem: { state: true } };

  constructor() {
    super();
    /** The number of the account that was opened last. */
    this.account = "";
    this.problem = "";
  }

  get source() {
    return "/__local/upstream-calls";
  }

  render() {
    return html`<h1 tabindex="-1">Upstream calls</h1>
      ${this.renderFailure()} ${this.renderAccounts()} ${this.data === null ? skeleton() : this.renderCalls(this.data)}`;
  }

  openAccount = once(async () => {
    const merchantId = String(100_000_000 + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0));
    try {
      await send("POST", "/__local/fixtures", {
        cardNetwork: { merchants: [{ merchantId, name: `Account ${merchantId}` }] },
      });
      this.account = merchantId;
      this.problem = "";
    } catch {
      this.problem = "No account could be opened. Try again.";
    }
  });

  renderAccounts() {
    return html`<section class="panel account">
        <p>A merchant that was created in the dashboard cannot sell until it has an account at the card network.</p>
        <button class="button" @click=${this.openAccount}>Open an account</button>
        <p role="status">
          ${
            this.account
              ? html`Opened <b class="mono">${this.account}</b>. Enter it as <i>Network account</i> of the merchant, as
                  a platform administrator in the dashboard.`
              : nothing
          }
        </p>
      </section>
      ${this.problem ? html`<p class="notice bad" role="alert"><span aria-hidden="true">✕</span><span>${this.problem}</span></p>` : nothing}`;
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
