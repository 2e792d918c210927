// Sign-in: by a passkey, or by a code that is mailed: the address, then the code, which submits itself.

import { once } from "/kit/once.js";
import { html, LitElement, nothing } from "/kit/vendor/lit.js";
import { api, call, explain } from "../shell/api.js";
import { codeField, isWhole } from "../forms/code-field.js";
import { field, submitButton } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { whyLeft } from "./leave.js";
import { passkeyOffer } from "./passkey-offer.js";
import { PasskeySignIn } from "./passkey-sign-in.js";
import { whyNoPasskeys } from "./passkeys.js";

const KEPT = "sign-in"; // a reload between address and code must not cost another code

const WHY = {
  ended: "Your session has ended. What you typed is kept.",
  old: "This requires you to sign in again. What you typed is kept.",
  passkey: "This requires you to sign in with a passkey. What you typed is kept.",
};

class SignIn extends LitElement {
  /** Set where the session has ended: only this address gets on with the page. @type {string | null} */
  again = null;
  /** @type {import("../shell/api.js").Reason} */
  reason = "ended";
  /** Called with a new session, and what to offer above the first page. @type {(offer: unknown) => void} */
  done = () => {};
  /** Called by who does not sign in, where the session goes on without. @type {() => void} */
  cancel = () => {};
  left = "";
  passkeys = new PasskeySignIn(
    (session) => this.signedInWithPasskey(session),
    () => this.requestUpdate(),
  );

  email = "";
  /** @type {string | null} */
  challengeId = null;
  code = "";
  busy = false;
  error = "";
  said = "";

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    this.email = this.again ?? kept?.email ?? "";
    if (kept && kept.email === this.email && kept.until > Date.now()) this.challengeId = kept.challengeId;
    if (this.again !== null) return;
    this.left = whyLeft();
    this.passkeys.offer();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.passkeys.end();
  }

  firstUpdated() {
    this.focusFirst();
  }

  focusFirst() {
    const first = this.querySelector("input") ?? this.querySelector("button");
    first?.focus();
  }

  render() {
    const step = html`<div class="sign-in">
      ${this.reason === "passkey" ? this.passkeyStep() : this.challengeId ? this.codeStep() : this.addressStep()}
      <p class="sr" role="status">${this.said}</p>
    </div>`;
    return this.again !== null
      ? step
      : html`<main class="alone narrow">
          <p class="brand"><img src="/icon.svg" alt="" width="32" height="32" /><b>Merchant portal</b></p>
          <div class="panel">${step}</div>
        </main>`;
  }

  addressStep() {
    return html`<form novalidate @submit=${this.askForCode}>
      <h1>${this.again === null ? "Sign in" : "Sign in again"}</h1>
      ${
        this.left
          ? html`<div class="notice" role="status">
              ${icon("info")}
              <p>${this.left}</p>
            </div>`
          : nothing
      }
      <p class="muted">
        ${this.again === null ? "We send a code to your e-mail address. There is no password." : WHY[this.reason]}
      </p>
      ${field({
        name: "email",
        label: "E-mail address",
        type: "email",
        value: this.email,
        autocomplete: this.again === null ? "username webauthn" : "username",
        inputmode: "email",
        required: true,
        error: this.error,
        readonly: Boolean(this.again),
        oninput: (value) => {
          this.email = value;
        },
      })}
      ${submitButton(this.busy ? "Sending" : "Send code", this.busy, { wide: true })}
      ${whyNoPasskeys() ? nothing : this.passkeyButton()}
    </form>`;
  }

  passkeyStep() {
    return html`<div class="form">
      <h1>Sign in with a passkey</h1>
      <p class="muted">${WHY.passkey}</p>
      ${whyNoPasskeys() || this.passkeyButton("primary")}
      <button type="button" class="button wide" @click=${this.cancel}>Cancel</button>
    </div>`;
  }

  passkeyButton(tone = "") {
    const { busy, error, note } = this.passkeys;
    return html`<div class="field">
      <button
        type="button"
        class="button wide ${tone}"
        aria-busy=${busy ? "true" : "false"}
        @click=${() => this.passkeys.press()}
      >
        Sign in with a passkey
      </button>
      ${error ? html`<span class="error" role="alert">${error}</span>` : nothing}
      <span class="hint" role="status">${note}</span>
    </div>`;
  }

  codeStep() {
    return html`<form novalidate @submit=${this.submitCode}>
      <h1>Enter the code</h1>
      <p class="muted">We sent a code to <b class="wrap" dir="auto">${this.email}</b>. It works for 10 minutes.</p>
      ${codeField({ code: this.code, error: this.error, busy: this.busy, changed: (code) => this.typed(code) })}
      ${submitButton(this.busy ? "Checking" : "Sign in", this.busy, { wide: true })}
      <p class="small">
        <button type="button" class="link" @click=${this.askForCode}>Send another code</button
        >${this.again === null ? this.otherAddressLink() : nothing}
      </p>
    </form>`;
  }

  otherAddressLink() {
    return html` · <button type="button" class="link" @click=${this.otherAddress}>Use another address</button>`;
  }

  /** @param {Event} event */
  async askForCode(event) {
    event.preventDefault();
    if (this.busy) return;
    const email = this.email.trim();
    if (!/^\S+@\S+\.\S+$/.test(email)) return this.fail("Enter an address such as name@example.com.");
    await this.run(async () => {
      const answer = await call(() => api.POST("/api/auth/code", { body: { email } }), { signIn: false });
      this.email = email;
      this.challengeId = answer.data.challengeId;
      this.code = "";
      this.said = `We sent a code to ${email}.`;
      sessionStorage.setItem(
        KEPT,
        JSON.stringify({ email, challengeId: this.challengeId, until: Date.now() + 600_000 }),
      );
    });
  }

  /** @param {string} code */
  typed(code) {
    this.code = code;
    this.error = "";
    this.requestUpdate();
  }

  /** @param {Event} [event] */
  async submitCode(event) {
    event?.preventDefault();
    const { challengeId, code } = this;
    if (this.busy || !challengeId) return;
    if (!isWhole(code)) return this.fail("Enter the 8 characters of the code.");
    await this.run(async () => {
      await call(() => api.POST("/api/auth/session", { body: { challengeId, code } }), { signIn: false });
      sessionStorage.removeItem(KEPT);
      this.done(this.again === null ? passkeyOffer() : nothing);
    });
  }

  /** @param {import("../shell/store.js").Session} session */
  signedInWithPasskey({ user }) {
    if (this.again !== null && user?.email !== this.again) {
      this.passkeys.error = `This passkey belongs to ${user?.email}. Sign in as ${this.again}.`;
      return;
    }
    sessionStorage.removeItem(KEPT);
    this.done(nothing);
  }

  otherAddress() {
    sessionStorage.removeItem(KEPT);
    this.challengeId = null;
    this.error = "";
    this.focusInput();
  }

  run = once(async (/** @type {() => Promise<void>} */ act) => {
    this.busy = true;
    this.error = "";
    this.requestUpdate();
    try {
      await act();
    } catch (problem) {
      this.error = explain(problem);
    }
    this.busy = false;
    this.focusInput();
  });

  /** @param {string} error */
  fail(error) {
    this.error = error;
    this.focusInput();
  }

  async focusInput() {
    this.requestUpdate();
    await this.updateComplete;
    this.focusFirst();
  }
}
customElements.define("sign-in", SignIn);
