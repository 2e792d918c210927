// The base of pages with a form.

import { Page } from "./page.js";

/** A page that sends what was entered, one thing at a time, and asks before input is lost. */
export class FormPage extends Page {
  keeps = false;
  /** What is being sent. */
  busy = "";
  /** Why the last attempt failed. @type {unknown} */
  problem = null;
  /** Something was typed that is not saved. */
  edited = false;

  connectedCallback() {
    super.connectedCallback();
    this.addEventListener("input", this);
  }

  /** @param {Event} event */
  handleEvent({ target }) {
    if (target instanceof Element && target.closest("form")) this.edited = true;
  }

  get changed() {
    return this.edited;
  }

  /**
   * @param {string} what
   * @param {() => Promise<void>} act
   */
  async run(what, act) {
    if (this.busy) return;
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
