// What is offered after a sign-in by code: to add a passkey. Who does not want to is not asked again for a month in this browser.

import { html, LitElement, nothing } from "/kit/vendor/lit.js";
import { icon } from "../shell/icons.js";
import { whyNoPasskeys } from "./passkeys.js";

const KEPT = "passkey-offer";
const PAUSE_MS = 30 * 24 * 3_600_000;

/** The offer, unless there is nothing to offer. */
export function passkeyOffer() {
  return whyNoPasskeys() || isPutOff() ? nothing : document.createElement("passkey-offer");
}

function isPutOff() {
  try {
    return Number(localStorage.getItem(KEPT)) > Date.now();
  } catch {
    return false; // storage is blocked
  }
}

function putOff() {
  try {
    localStorage.setItem(KEPT, String(Date.now() + PAUSE_MS));
  } catch {
    // storage is blocked: for this page only
  }
}

class PasskeyOffer extends LitElement {
  isOver = false;

  createRenderRoot() {
    return this;
  }

  render() {
    if (this.isOver) return nothing;
    return html`<section class="notice" aria-label="Passkey">
      ${icon("info")}
      <div>
        <b>Sign in without a code next time</b>
        <p>A passkey signs you in with your fingerprint, your face or the lock of your screen.</p>
        <p class="actions">
          <button class="button primary" type="button" @click=${this.add}>Add a passkey</button>
          <button class="button" type="button" @click=${this.end}>Not now</button>
        </p>
      </div>
    </section>`;
  }

  async add() {
    const { addPasskey } = await import("./passkey-dialogs.js");
    if (!(await addPasskey())) return;
    this.end();
    dispatchEvent(new Event("route")); // the account page lists it
  }

  end() {
    putOff();
    this.isOver = true;
    this.requestUpdate();
  }
}
customElements.define("passkey-offer", PasskeyOffer);
