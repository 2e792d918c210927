// The base of pages that send something, and say there what became of it.

import { once } from "/kit/once.js";
import { Doubt } from "./change.js";
import { Page } from "./page.js";

export class ActingPage extends Page {
  /** What is being sent: one thing at a time. */
  busy = "";
  /** What failed last, and why. */
  failed = { what: "", problem: /** @type {unknown} */ (null) };
  doubt = new Doubt();

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
