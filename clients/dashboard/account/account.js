// The own account: name, phone, how one signs in, and where one is signed in.

import { once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { api } from "../shell/api.js";
import { carryOut } from "../shell/change.js";
import { Changes } from "../forms/changes.js";
import { FormPage } from "../forms/form-page.js";
import { field, refusal, submitButton, toast } from "../forms/forms.js";
import { Resource } from "../shell/page.js";
import { head, states } from "../shell/parts.js";
import { store } from "../shell/store.js";
import { maxLength } from "../forms/bounds.js";
import { leave } from "./leave.js";
import { isMailSignIn, mailSignIn, turnMailSignIn } from "./mail-sign-in.js";
import { addPasskey, removePasskey } from "./passkey-dialogs.js";
import { passkeyList, readPasskeys } from "./passkey-list.js";
import { whyNoPasskeys } from "./passkeys.js";
import { readSession } from "./read-session.js";
import { endSession, readSessions, sessionList, signOutEverywhere } from "./sessions.js";

const { firstName, lastName } = maxLength.updateUser;
const FIELDS = /** @type {const} */ ([
  { name: "firstName", label: "First name", autocomplete: "given-name", maxlength: firstName },
  { name: "lastName", label: "Last name", autocomplete: "family-name", maxlength: lastName },
  { name: "phonePrefix", label: "Country code", autocomplete: "tel-country-code", maxlength: 8, placeholder: "+46" },
  { name: "phone", label: "Phone", type: "tel", autocomplete: "tel-national", maxlength: 30 },
]);

class AccountPage extends FormPage {
  changes = new Changes();
  passkeys = new Resource(this, readPasskeys);
  sessions = new Resource(this, readSessions);

  arrive() {
    this.passkeys.load();
    this.sessions.load();
  }

  get changed() {
    return this.changes.any;
  }

  render() {
    const user = store.session?.user;
    return html`${head("Your account", user?.email ?? "")}
      <div class="halves">
        <section class="panel">
          <header><h2>Name</h2></header>
          <form class="form" novalidate @submit=${this.save}>
            <div class="two">${FIELDS.map((one) => this.field(one))}</div>
            ${refusal(this.problemOf("save"), "Your account was not changed.")}
            <div>${submitButton("Save", this.busy === "save")}</div>
          </form>
        </section>
        ${this.passkeySection()}
        <section class="panel">
          <header><h2>Sign-in by mailed code</h2></header>
          ${mailSignIn(() => this.turnMailSignIn())}
        </section>
        <section class="panel">
          <header>
            <h2>Signed in on</h2>
            <button class="button danger" type="button" @click=${this.signOutEverywhere}>Sign out everywhere</button>
          </header>
          ${states(this.sessions, {
            what: "Your sessions",
            rows: 2,
            ready: (sessions) => sessionList(sessions, (one) => this.endSession(one)),
          })}
        </section>
      </div>`;
  }

  /** @param {typeof FIELDS[number]} one */
  field(one) {
    const saved = store.session?.user?.[one.name] ?? "";
    const oninput = (/** @type {string} */ text) => {
      this.changes.set(one.name, text, saved);
      this.requestUpdate();
    };
    return field({ ...one, value: this.changes.get(one.name) ?? saved, oninput });
  }

  passkeySection() {
    const whyNot = whyNoPasskeys();
    return html`<section class="panel">
      <header>
        <h2>Passkeys</h2>
        ${whyNot ? nothing : html`<button class="button" type="button" @click=${this.addPasskey}>Add a passkey</button>`}
      </header>
      ${whyNot ? html`<p class="inset">${whyNot}</p>` : nothing}
      ${states(this.passkeys, {
        what: "Your passkeys",
        rows: 2,
        ready: (passkeys) => passkeyList(passkeys, (one) => this.removePasskey(one)),
      })}
    </section>`;
  }

  /** @param {SubmitEvent} event */
  async save(event) {
    event.preventDefault();
    const sent = this.changes.of(FIELDS.map(({ name }) => name));
    const body = {
      ...sent,
      ...(sent.phonePrefix === "" && { phonePrefix: null }),
      ...(sent.phone === "" && { phone: null }),
    };
    await this.run("save", async () => {
      await carryOut(
        () => api.PATCH("/api/auth/session/user", { body }),
        () => isUser(sent),
      );
      // What the fields show, until the session is read again.
      if (store.session?.user) Object.assign(store.session.user, body);
      this.changes.saved(sent);
      dispatchEvent(new Event("session-changed"));
      toast("Your account was saved.");
    });
  }

  addPasskey = once(async () => {
    if (await addPasskey()) this.passkeys.load();
  });

  /** @param {import("./passkey-list.js").Passkey} passkey */
  async removePasskey(passkey) {
    if (await removePasskey(passkey)) leave("removed");
  }

  async turnMailSignIn() {
    const on = !isMailSignIn();
    if (!(await turnMailSignIn(on))) return;
    dispatchEvent(new Event("session-changed"));
    toast(`Sign-in by mailed code is ${on ? "on" : "off"}.`);
  }

  /** @param {import("./sessions.js").ListedSession} session */
  async endSession(session) {
    if (await endSession(session)) this.sessions.load();
  }

  async signOutEverywhere() {
    if (await signOutEverywhere()) leave();
  }
}

/** Whether this is saved. @param {Record<string, string>} sent */
async function isUser(sent) {
  const { user } = (await readSession()).data;
  return FIELDS.every(({ name }) => sent[name] === undefined || (user?.[name] ?? "") === sent[name]);
}

customElements.define("account-page", AccountPage);
