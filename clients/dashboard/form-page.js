// The base of pages with a form.

import { Page } from "./page.js";

/** A page that sends what was entered, one thing at a time. */
export class FormPage extends Page {
  /** What is being sent. */
  busy = "";
  /** Why the last attempt failed. @type {unknown} */
  problem = null;

  /** @param {string} what @param {() => Promise<void>} act */
  async run(what, act) {
    this.busy = what;
    this.problem = null;
    this.requestUpdate();
    try {
      await act();
    } catch (problem) {
      this.problem = problem;
    }
    this.busy = "";
    this.requestUpdate();
  }
}
