// What the platform's pages show in a session that was not begun with a passkey.

import { once } from "/kit/once.js";
import { html, LitElement } from "/kit/vendor/lit.js";
import { askToSignIn } from "./api.js";
import { icon } from "./icons.js";

class PasskeyNeeded extends LitElement {
  createRenderRoot() {
    return this;
  }

  render() {
    return html`<div class="notice warn" role="alert">
      ${icon("warn")}
      <div>
        <b>Sign in with a passkey to see this.</b>
        <p>You have signed in with a mailed code. Whoever can read your mail could do the same.</p>
        <p>
          <button class="button primary" type="button" @click=${this.signIn}>Sign in with a passkey</button>
        </p>
        <p>
          No passkey yet? Add one in <a href="/account">your account</a>, with the enrolment code that an operator gives
          you.
        </p>
      </div>
    </div>`;
  }

  signIn = once(async () => {
    if (await askToSignIn("passkey")) this.dispatchEvent(new Event("retry"));
  });
}
customElements.define("passkey-needed", PasskeyNeeded);
