// The base of pages with a form.

import { ActingPage } from "../shell/acting-page.js";
import { leaving } from "../shell/router.js";
import { mayDiscard } from "./dialogs.js";

leaving.mayDiscard = mayDiscard;

/** A page that sends what was entered, and asks before input is lost. */
export class FormPage extends ActingPage {
  keeps = false;
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
}
