// What runs where, and users to be signed in as.

import { once } from "/kit/once.js";
import { config } from "/config.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { getText, send } from "../control.js";
import { LivePage, skeleton } from "../live-page.js";

/** @typedef {{userId: string, name: string, email: string, merchant: string | null, role: string | null, isPlatformAdministrator: boolean, hasOwnPermissions: boolean}} User */

const CLIENTS = [
  { name: "Dashboard", url: config.dashboard, about: "Orders, offers, team and payouts of a merchant" },
  { name: "Till", url: config.till, about: "Sells and redeems gift cards, on a phone or a tablet" },
  { name: "Shop with widget", url: config.shop, about: "A shop on another site that embeds the widget" },
  {
    name: "Storefront",
    url: `${config.storefront}/aurora-coffee`,
    about: "The public page of Aurora Coffee's gift cards",
  },
];

const SERVICES = new Map([
  ["AWS_ENDPOINT_URL_DYNAMODB", "DynamoDB"],
  ["AWS_ENDPOINT_URL_S3", "S3"],
  ["AWS_ENDPOINT_URL_SES", "SES"],
  ["AWS_ENDPOINT_URL_SECRETS_MANAGER", "Secrets Manager"],
  ["CARD_NETWORK_URL", "Card network"],
  ["VERIFIER_URL", "Identity verifier"],
]);

const ROLES = new Map([
  ["ADMIN", "Admin"],
  ["FULL", "Full access"],
  ["VIEWER", "Viewer (read-only)"],
]);

// Whom this console has signed in. Only the API knows whether the session is still valid.
const SIGNED_IN = "console.signed-in";

/** @extends {LivePage<User[]>} */
class StartPage extends LivePage {
  static properties = {
    ...LivePage.properties,
    signedIn: { state: true },
    environment: { state: true },
    problem: { state: true },
  };

  constructor() {
    super();
    this.isLive = false; // users seldom change
    this.signedIn = sessionStorage.getItem(SIGNED_IN);
    /** @type {[string, string][]} */
    this.environment = [];
    this.problem = "";
  }

  get source() {
    return "/__local/users";
  }

  async refresh() {
    try {
      const lines = (await getText("/__local/environment")).trim().split("\n");
      this.environment = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
    } catch {
      this.hasFailed = true;
      return;
    }
    await super.refresh();
  }

  signIn = once(async (/** @type {User} */ user) => {
    try {
      await send("POST", "/__local/sessions", { userId: user.userId });
      this.remember(user.userId);
    } catch {
      this.problem = `${user.name} could not be signed in. Nothing was changed. Try again.`;
    }
  });

  signOut = once(async () => {
    try {
      await send("DELETE", "/api/auth/session");
      this.remember(null);
    } catch {
      this.problem = "The session could not be ended. Nothing was changed. Try again.";
    }
  });

  /** @param {string | null} userId */
  remember(userId) {
    this.problem = "";
    this.signedIn = userId;
    if (userId) sessionStorage.setItem(SIGNED_IN, userId);
    else sessionStorage.removeItem(SIGNED_IN);
  }

  render() {
    return html` <h1 tabindex="-1">Everything runs on this machine</h1>
      ${this.renderFailure()}
      <ul class="cards">
        ${CLIENTS.map(
          ({ name, url, about }) =>
            html`<li class="panel">
              <a href=${url}><b>${name}</b></a
              ><span class="muted">${about}</span><span class="mono faint">${url.replace("http://", "")}</span>
            </li>`,
        )}
      </ul>
      <h2 id="users">Sign in as</h2>
      <p class="muted" role="status">${this.renderSession()}</p>
      ${this.problem ? html`<p class="notice bad" role="alert"><span aria-hidden="true">✕</span><span>${this.problem}</span></p>` : nothing}
      ${this.data === null ? skeleton() : [this.renderUsers(this.data), this.renderAddresses()]}`;
  }

  /** Shown with the users above it: alone, it would move down when they arrive. */
  renderAddresses() {
    return html`<h2>Addresses</h2>
      <dl class="panel addresses">
        <div>
          <dt>API</dt>
          <dd class="mono">${config.api}</dd>
        </div>
        ${this.environment
          .filter(([name]) => SERVICES.has(name))
          .map(
            ([name, value]) =>
              html`<div>
                <dt>${SERVICES.get(name)}</dt>
                <dd class="mono">${value}</dd>
              </div>`,
          )}
      </dl>
      <details class="panel">
        <summary>Environment of the functions</summary>
        <pre class="mono" tabindex="0" aria-label="Environment of the functions">
${this.environment.map(([name, value]) => `${name}=${value}\n`)}</pre>
      </details>`;
  }

  renderSession() {
    const user = this.data?.find(({ userId }) => userId === this.signedIn);
    if (!user) return "One click opens a session in this browser, for the dashboard and the API reference.";
    return html`Signed in as <b>${user.name}</b>. <a href=${config.dashboard}>Open the dashboard</a>
      <button class="button quiet" @click=${this.signOut}>Sign out</button>`;
  }

  /** @param {User[]} all */
  renderUsers(all) {
    const users = [
      ...all.filter(({ merchant }) => merchant !== null),
      ...all.filter(({ merchant }) => merchant === null),
    ];
    if (users.length === 0)
      return html`<div class="panel empty">
        <b>No users</b>
        <p>The system was started without fixtures.</p>
      </div>`;
    return html`<div class="panel table users">
      <table role="table" aria-labelledby="users">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">Name</th>
            <th role="columnheader">Merchant</th>
            <th role="columnheader">Role</th>
            <th role="columnheader"><span class="sr">Action</span></th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${users.map(
            (user) =>
              html`<tr role="row">
                <td role="cell" class="name">
                  <b dir="auto">${user.name}</b><br /><span class="faint wrap">${user.email}</span>
                </td>
                <td role="cell" class="merchant" dir="auto">
                  ${user.merchant ?? html`<span class="faint">No merchant</span>`}
                </td>
                <td role="cell" class="role">${roleOf(user)}</td>
                <td role="cell" class="action">
                  ${
                    user.userId === this.signedIn
                      ? html`<span class="badge ok">Signed in</span>`
                      : html`<button
                          class="button"
                          aria-label="Sign in as ${user.name}"
                          @click=${() => this.signIn(user)}
                        >
                          Sign in
                        </button>`
                  }
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }
}

/** @param {User} user */
function roleOf({ role, isPlatformAdministrator, hasOwnPermissions, merchant }) {
  if (isPlatformAdministrator) return "Platform administrator";
  if (hasOwnPermissions) return "Own permissions";
  if (role !== null) return ROLES.get(role) ?? role;
  return merchant ? "No role" : html`<span class="faint">–</span>`;
}

customElements.define("x-start-page", StartPage);
