// The own account: name, phone, and where one is signed in.

import { html } from "/kit/vendor/lit.js";
import { toneBadge } from "/kit/badge.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../api.js";
import { FormPage } from "../form-page.js";
import { confirm, field, refusal, submitButton, toast, valuesOf } from "../forms.js";
import { Resource } from "../page.js";
import { head, states } from "../parts.js";
import { store } from "../store.js";
import { maxLength } from "../bounds.js";

const { firstName, lastName } = maxLength.updateUser;
const FIELDS = /** @type {const} */ ([
  { name: "firstName", label: "First name", autocomplete: "given-name", maxlength: firstName },
  { name: "lastName", label: "Last name", autocomplete: "family-name", maxlength: lastName },
  { name: "phonePrefix", label: "Country code", autocomplete: "tel-country-code", maxlength: 8, placeholder: "+46" },
  { name: "phone", label: "Phone", type: "tel", autocomplete: "tel-national", maxlength: 30 },
]);

class AccountPage extends FormPage {
  sessions = new Resource(this, async () => (await call(() => api.GET("/api/auth/sessions"))).data);

  arrive() {
    this.sessions.load();
  }

  render() {
    const user = store.session?.user;
    return html`${head("Your account", user?.email ?? "")}
      <div class="halves">
        <section class="panel">
          <header><h2>Name</h2></header>
          <form class="form" @submit=${this.save}>
            <div class="two">${FIELDS.map((one) => field({ ...one, value: user?.[one.name] ?? "" }))}</div>
            ${refusal(this.problem, "Your account was not changed.")}
            <div>${submitButton("Save", this.busy === "save")}</div>
          </form>
        </section>
        <section class="panel">
          <header>
            <h2>Signed in on</h2>
            <button class="button danger" type="button" @click=${this.signOutEverywhere}>Sign out everywhere</button>
          </header>
          ${states(this.sessions, { what: "Your sessions", rows: 2, ready: sessionList })}
        </section>
      </div>`;
  }

  /** @param {SubmitEvent} event */
  async save(event) {
    event.preventDefault();
    const { firstName, lastName, phonePrefix, phone } = valuesOf(/** @type {HTMLFormElement} */ (event.target));
    const body = { firstName, lastName, phonePrefix: phonePrefix || null, phone: phone || null };
    await this.run("save", async () => {
      await call(() => api.PATCH("/api/auth/session/user", { body }));
      this.edited = false;
      dispatchEvent(new Event("session-changed"));
      toast("Your account was saved.");
    });
  }

  async signOutEverywhere() {
    const done = await confirm({
      title: "Sign out everywhere?",
      text: "All your devices are signed out at once, this one too.",
      verb: "Sign out everywhere",
      failed: "You were not signed out.",
      act: () => call(() => api.DELETE("/api/auth/sessions")),
    });
    if (!done) return;
    sessionStorage.clear();
    location.assign("/");
  }
}

/** @param {import("../store.js").Schemas["ListedSession"][]} sessions */
function sessionList(sessions) {
  return html`<ul class="rows">
    ${sessions.map(
      ({ userAgent, createdAt, current }) =>
        html`<li>
          <span class="two-lines grow"
            ><b>${deviceOf(userAgent)}</b
            ><span class="small muted">Since ${formatDateTime(createdAt, store.timeZone)}</span></span
          >${current ? toneBadge("ok", "This device") : ""}
        </li>`,
    )}
  </ul>`;
}

/** @param {string | null} userAgent */
function deviceOf(userAgent) {
  if (!userAgent) return "A device";
  const browser = /Edg\//.test(userAgent)
    ? "Edge"
    : /Firefox\//.test(userAgent)
      ? "Firefox"
      : /Chrome\//.test(userAgent)
        ? "Chrome"
        : /Safari\//.test(userAgent)
          ? "Safari"
          : "A browser";
  const system = /iPhone|iPad/.test(userAgent)
    ? "iOS"
    : /Android/.test(userAgent)
      ? "Android"
      : /Mac OS/.test(userAgent)
        ? "macOS"
        : /Windows/.test(userAgent)
          ? "Windows"
          : /Linux/.test(userAgent)
            ? "Linux"
            : "";
  return system ? `${browser} on ${system}` : browser;
}

customElements.define("account-page", AccountPage);
