// The draft of an application, which is saved as it is typed.

import { html } from "/kit/vendor/lit.js";
import { formatTime } from "/kit/time.js";
import { api, call, explain } from "../shell/api.js";
import { carryOut, certain, Doubt } from "../shell/change.js";
import { store } from "../shell/store.js";
import { ApplicationValues } from "./application-values.js";

const SAVE_AFTER_MS = 1000;

/** @typedef {ReturnType<ApplicationValues["request"]>} Request */

export class ApplicationDraft {
  /** Why the latest may not be saved. @type {unknown} */
  problem = null;
  #said = "";
  #isBusy = false;
  #doubt = new Doubt();
  /** How often something was typed. */
  #version = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  /** They are sent one after the other, so that the last one stays. */
  #sent = Promise.resolve();

  /** @param {() => void} draw @param {() => Request} read what is typed by now */
  constructor(draw, read) {
    this.draw = draw;
    this.read = read;
  }

  /** Something was typed: saves soon. */
  touch() {
    this.#version++;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.save, SAVE_AFTER_MS);
  }

  /** Saves at once what would be saved soon. Resolves once there is an answer. */
  flush() {
    if (this.#timer) this.save();
    return this.#sent;
  }

  save = () => {
    this.#forgetTimer();
    this.#sent = this.#sent.then(() => this.#send());
  };

  /** There is no draft any more. */
  end() {
    this.#forgetTimer();
    this.problem = null;
  }

  #forgetTimer() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #send() {
    const version = this.#version;
    const request = this.read();
    this.#isBusy = true;
    this.draw();
    try {
      await carryOut(
        () => api.POST("/api/onboarding/submit", { body: { ...request, isDraft: true } }),
        () => isSaved(request),
      );
      this.#doubt.end();
      this.problem = null;
      if (version === this.#version) this.#said = `Saved at ${formatTime(Date.now(), store.timeZone)}`;
    } catch (problem) {
      this.problem = this.#doubt.about(problem);
    }
    this.#isBusy = false;
    this.draw();
  }

  /** Whether it is saved. */
  view() {
    if (!this.problem) return html`<span class="muted small" role="status">${this.#said}</span>`;
    return html`<div class="actions">
      <span class="error small" role="alert">${certain(this.problem, "Not saved.")} ${explain(this.problem)}</span>
      <button class="button" type="button" aria-busy=${this.#isBusy ? "true" : "false"} @click=${this.save}>
        Save it again
      </button>
    </div>`;
  }
}

/** Whether the profile has all of it. @param {Request} request */
async function isSaved(request) {
  const { data } = await call(() => api.GET("/api/bff/merchant"));
  return "company" in data && JSON.stringify(ApplicationValues.of(data).request()) === JSON.stringify(request);
}
