// The own account: name, phone, and where one is signed in.

import { html } from "/kit/vendor/lit.js";
import { toneBadge } from "/kit/badge.js";
import { formatDateTime } from "/kit/time.js";
import { api, call, Problem } from "../shell/api.js";
import { carryOut } from "../shell/change.js";
import { FormPage } from "../forms/form-page.js";
import { confirm } from "../forms/dialogs.js";
import { field, refusal, submitButton, toast, valuesOf } from "../forms/forms.js";
import { Resource } from "../shell/page.js";
import { formatCount, head, states } from "../shell/parts.js";
import { store } from "../shell/store.js";
import { maxLength } from "../forms/bounds.js";

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
          <form class="form" novalidate @submit=${this.save}>
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
      await carryOut(
        () => api.PATCH("/api/auth/session/user", { body }),
        () => isUser(body),
      );
      this.edited = false;
      dispatchEvent(new Event("session-changed"));
      toast("Your account was saved.");
    });
  }

  async signOutEverywhere() {
    const done = await confirm({
      title: "Sign out everywhere?",
      text: "All your devices are signed out immediately, including this one.",
      verb: "Sign out everywhere",
      failed: "You were not signed out.",
      act: () => carryOut(() => api.DELETE("/api/auth/sessions"), isSignedOut),
    });
    if (!done) return;
    sessionStorage.clear();
    location.assign("/");
  }
}

const readSession = () => call(() => api.GET("/api/auth/session"), { signIn: false });

/** Whether this is saved. @param {Record<string, string | null | undefined>} body */
async function isUser(body) {
  const { user } = (await readSession()).data;
  return FIELDS.every(({ name }) => (user?.[name] ?? "") === (body[name] ?? ""));
}

async function isSignedOut() {
  const problem = await readSession().catch((failure) => failure);
  return problem instanceof Problem && problem.status === 401;
}

/** @typedef {import("../shell/store.js").Schemas["ListedSession"]} ListedSession */

/** This one first, then the latest; those of programs that do not say what they are, as one. @param {ListedSession[]} sessions */
function sessionList(sessions) {
  const latest = sessions.toSorted(
    (a, b) => Number(b.current) - Number(a.current) || Date.parse(b.createdAt) - Date.parse(a.createdAt),
  );
  const named = latest.filter(({ current, userAgent }) => current || userAgent);
  const others = latest.filter((one) => !named.includes(one));
  return html`<ul class="rows">
    ${named.map((one) => sessionRow(deviceOf(one.userAgent), one))}
    ${others.slice(0, 1).map((one) => sessionRow(unnamed(others.length), one))}
  </ul>`;
}

/** @param {string} device @param {ListedSession} session the latest of it */
function sessionRow(device, { createdAt, expiresAt, current }) {
  const [since, until] = [createdAt, expiresAt].map((time) => formatDateTime(time, store.timeZone));
  return html`<li>
    <span class="two-lines grow"
      ><b>${device}</b><span class="small muted">Signed in ${since}, until ${until} at the latest</span></span
    >${current ? toneBadge("ok", "This device") : ""}
  </li>`;
}

const UNNAMED = "A program that does not identify itself";

/** @param {number} count */
const unnamed = (count) => (count === 1 ? UNNAMED : `${formatCount(count)} programs that do not identify themselves`);

/** The first that the text has. @param {string} text @param {readonly (readonly [RegExp, string])[]} names */
const nameIn = (text, names) => names.find(([pattern]) => pattern.test(text))?.[1];

const BROWSERS = /** @type {const} */ ([
  [/Edg(A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"],
]);
const SYSTEMS = /** @type {const} */ ([
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Mac OS/, "macOS"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
]);

/** Browser and system. @param {string | null} userAgent */
function deviceOf(userAgent) {
  if (!userAgent) return UNNAMED;
  const [browser, system] = [nameIn(userAgent, BROWSERS) ?? "A browser", nameIn(userAgent, SYSTEMS)];
  return system ? `${browser} on ${system}` : browser;
}

customElements.define("account-page", AccountPage);
