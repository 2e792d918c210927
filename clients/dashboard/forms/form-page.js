// The base of pages with a form.

import { once } from "/kit/once.js";
import { Doubt } from "../shell/change.js";
import { Page } from "../shell/page.js";
import { leaving } from "../shell/router.js";
import { mayDiscard } from "./dialogs.js";

leaving.mayDiscard = mayDiscard;

/** A page that sends what was entered, one thing at a time, and asks before input is lost. */
export class FormPage extends Page {
  keeps = false;
  /** What is being sent. */
  busy = "";
  /** What failed last, and why. */
  failed = { what: "", problem: /** @type {unknown} */ (null) };
  doubt = new Doubt();
  /** How often something was typed or chosen, and how often until the latest save. */
  edits = 0;
  savedEdits = 0;

  connectedCallback() {
    super.connectedCallback();
    this.addEventListener("input", this);
  }

  /** @param {Event} event */
  handleEvent({ target }) {
    if (target instanceof Element && target.closest("form")) this.edits += 1;
  }

  /** Something was typed that is not saved. */
  get changed() {
    return this.edits !== this.savedEdits;
  }

  /** Why it failed, if it was the last that was sent. @param {string} what */
  problemOf(what) {
    return this.failed.what === what ? this.failed.problem : null;
  }

  run = once(async (/** @type {string} */ what, /** @type {() => Promise<void>} */ act) => {
    this.busy = what;
    this.failed = { what, problem: null };
    this.requestUpdate();
    try {
      await act();
      this.doubt.end(what);
    } catch (problem) {
      this.failed = { what, problem: this.doubt.about(problem, what) };
    }
    this.busy = "";
    this.requestUpdate();
  });
}
