// The application to the platform: a form that saves drafts; once it is sent, how it goes on.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, call, Problem } from "../shell/api.js";
import { carryOut } from "../shell/change.js";
import { ApplicationDraft } from "./application-draft.js";
import { applicationFields, consents } from "./application-form.js";
import { progress } from "./application-progress.js";
import { ApplicationValues } from "./application-values.js";
import { FormPage } from "../forms/form-page.js";
import { confirm } from "../forms/dialogs.js";
import { sendFile } from "../forms/files.js";
import { fieldOf, focusError, refusal, submitButton } from "../forms/forms.js";
import { Resource } from "../shell/page.js";
import { firstPage } from "../shell/menu.js";
import { bars, head, states } from "../shell/parts.js";
import { go } from "../shell/router.js";
import { isApplying, isWaiting, mayChange, store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */

const LOOK_FOR_LINK_MS = 4000;

class ApplicationPage extends FormPage {
  values = new ApplicationValues();
  documentType = "REGISTRATION";
  /** Why a document could not be opened. @type {unknown} */
  notOpened = null;
  draft = new ApplicationDraft(
    () => this.requestUpdate(),
    () => this.values.request(),
  );

  /** @type {Resource<Schemas["Profile"]>} */
  profile = new Resource(this, async () => {
    const profile = await call(() => api.GET("/api/bff/merchant"));
    if ("meta" in profile) {
      // It is being deleted: what follows leads away from here.
      if (this.profile.data) return this.profile.data;
      throw new Error("The user has no merchant");
    }
    if (!this.profile.data) this.values = ApplicationValues.of(profile.data);
    if (isWaiting() && !profile.data.company.verifierSessionUrl) this.lookForLink();
    return profile.data;
  });

  /** A draft is saved when the page is left; where that failed, leaving asks. */
  get changed() {
    return this.draft.problem !== null;
  }

  arrive() {
    if (!isApplying() && !isWaiting()) return go(firstPage(), { replace: true });
    this.profile.load();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.draft.flush();
  }

  lookForLink() {
    setTimeout(() => this.isConnected && isWaiting() && this.profile.load(), LOOK_FOR_LINK_MS);
  }

  render() {
    if (isWaiting())
      return html`${head("Application", "It has been submitted.")}
      ${states(this.profile, {
        what: "The application",
        skeleton: bars(4),
        ready: (profile) => progress(profile.company),
      })}`;
    const again = store.session?.merchant?.status === "WAITING_FOR_INFO";
    const note = again
      ? "The platform needs more information. Complete it and send it again."
      : "Tell the platform about your business. Drafts are saved as you type.";
    return html`${head("Application", note, this.draft.view())}
    ${states(this.profile, { what: "The application", skeleton: bars(10), ready: () => this.form() })}`;
  }

  form() {
    if (!mayChange("portal.information")) return html`<p class="muted">Your role is read-only.</p>`;
    const form = {
      values: this.values,
      documentType: this.documentType,
      documentRefused: html`${refusal(this.problemOf("document"), "The file was not stored.")}
      ${refusal(this.notOpened, "The file could not be opened.")}`,
      uploading: this.busy === "document",
      touched: () => this.touch(),
      draw: () => this.requestUpdate(),
      chooseType: (/** @type {string} */ type) => (this.documentType = type),
      upload: (/** @type {File} */ file) => this.upload(file),
      openDocument: (/** @type {string} */ url) => this.openDocument(url),
    };
    return html`<div class="beside start">
      <form novalidate @submit=${this.submit}>
        ${applicationFields(form)}
        <section class="panel">
          <div class="form">
            ${consents(form)}
            ${refusal(this.problemOf("submit"), "The application was not sent. What you typed is kept.")}
            ${this.actions()}
          </div>
        </section>
      </form>
      ${this.missing()}
    </div>`;
  }

  actions() {
    const session = store.session;
    const deletable = session?.merchant?.status === "DRAFT" && session.role === "ADMIN";
    return html`<div class="bar">
      ${submitButton("Send the application", this.busy === "submit")}
      ${deletable ? html`<button class="button quiet" type="button" @click=${this.discard}>Delete it</button>` : nothing}
    </div>`;
  }

  missing() {
    const missing = this.values.missing();
    const list = html`<ul class="inset todo">
      ${missing.map(
        ([name, word]) =>
          html`<li>
            <button class="link" type="button" @click=${() => this.focusField(name)}>${word}</button>
          </li>`,
      )}
    </ul>`;
    return html`<aside class="panel" aria-label="What is missing">
      <header><h2>${missing.length ? "Still missing" : "Complete"}</h2></header>
      ${missing.length ? list : html`<p class="none muted">Everything is there. Send it now.</p>`}
    </aside>`;
  }

  /** @param {string} name */
  focusField(name) {
    const input = this.querySelector(`#${name}`);
    if (input instanceof HTMLElement) input.focus();
  }

  touch() {
    this.draft.touch();
    this.values.checkAgain();
    this.requestUpdate();
  }

  /** @param {SubmitEvent} event */
  async submit(event) {
    event.preventDefault();
    const valid = this.values.checkAll();
    this.requestUpdate();
    if (!valid) return focusError(this);
    const body = { ...this.values.request(), isDraft: false, termsAccepted: true, privacyAccepted: true };
    await this.run("submit", async () => {
      try {
        await this.draft.flush();
        await carryOut(() => api.POST("/api/onboarding/submit", { body }), isSent);
      } catch (problem) {
        if (problem instanceof Problem && problem.status === 403) dispatchEvent(new Event("session-changed")); // it may be sent
        const name = fieldOf(problem)?.split(".").at(-1);
        if (name && name in this.values.text) this.values.errors[name] = "This is not accepted. Check it.";
        focusError(this);
        throw problem;
      }
      this.draft.end();
      scrollTo(0, 0);
      dispatchEvent(new Event("session-changed"));
    });
  }

  /** @param {File} file */
  async upload(file) {
    await this.run("document", async () => {
      const { url, originalName } = await sendFile(file, (upload) => api.POST("/api/onboarding/upload", upload));
      this.values.documents = [...this.values.documents, { type: this.documentType, url, name: originalName }];
      this.touch();
    });
  }

  /** @param {string} url */
  async openDocument(url) {
    this.notOpened = null;
    try {
      const answer = await call(() => api.GET("/api/onboarding/document", { params: { query: { url } } }));
      location.assign(answer.url); // a download: the page stays
    } catch (problem) {
      this.notOpened = problem;
    }
    this.requestUpdate();
  }

  async discard() {
    const name = store.session?.merchant?.name ?? "the business";
    const done = await confirm({
      title: `Delete ${name}?`,
      text: "The draft is deleted and its address becomes available again. This cannot be undone.",
      verb: `Delete ${name}`,
      failed: "It was not deleted. Nothing was changed.",
      tone: "final",
      act: () => carryOut(() => api.DELETE("/api/auth/merchant"), isGone),
    });
    if (!done) return;
    this.draft.end();
    go("/start", { replace: true });
    dispatchEvent(new Event("session-changed"));
  }
}

const readMerchant = async () => (await call(() => api.GET("/api/auth/session"))).data.merchant;

/** Whether the session has no merchant any more. */
const isGone = async () => (await readMerchant()) === null;

/** Whether the application is no draft any more. */
const isSent = async () => isWaiting(await readMerchant());

customElements.define("application-page", ApplicationPage);
