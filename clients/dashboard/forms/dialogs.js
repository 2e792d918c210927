// Dialogs: one with any content, one with an action, and the question before something final.

import { DOUBLE_CLICK, once } from "/kit/once.js";
import { html, nothing, render } from "/kit/vendor/lit.js";
import { Doubt, isUnknown } from "../shell/change.js";
import { field, focusError, lackingIn, refusal, submitButton, valuesOf, withErrors } from "./forms.js";

let opened = 0;

/**
 * Opens a dialog and resolves once it is closed. `content` gets a function that closes it and one that renders it anew.
 * Escape asks before it discards what was typed.
 * @template T
 * @param {string} title
 * @param {(close: (result?: T) => void, draw: () => void) => unknown} content
 * @returns {Promise<T | undefined>}
 */
export function dialog(title, content) {
  return new Promise((resolve) => {
    const element = document.createElement("dialog");
    const id = `dialog-title-${++opened}`;
    element.setAttribute("aria-labelledby", id);
    /** @type {T | undefined} */
    let result;
    let typed = false;
    /** @param {T} [value] */
    const close = (value) => {
      result = value;
      element.close();
    };
    const draw = () => {
      render(
        html`<h2 id=${id} class="wrap">${title}</h2>
          ${content(close, draw)}`,
        element,
      );
      if (element.open && document.activeElement === document.body) focusLast(element); // what had the focus is gone
    };
    const dismiss = async () => {
      if (!typed || (await mayDiscard())) close();
    };
    element.addEventListener("input", () => (typed = true));
    closesBy(element, dismiss);
    const shownAt = performance.now();
    const ignore = (/** @type {MouseEvent} */ event) => {
      // It was meant for what the first click found.
      if (event.detail < 2 || performance.now() - shownAt > DOUBLE_CLICK) return;
      event.preventDefault();
      event.stopPropagation();
    };
    element.addEventListener("click", ignore, { capture: true });
    element.addEventListener("close", () => {
      element.remove();
      resolve(result);
    });
    draw();
    document.body.append(element);
    element.showModal();
  });
}

/** @param {HTMLDialogElement} element */
function focusLast(element) {
  /** @type {NodeListOf<HTMLElement>} */
  const buttons = element.querySelectorAll("footer button, footer a");
  buttons[buttons.length - 1]?.focus();
}

/**
 * What Escape does in a dialog, and the gesture of a phone that stands for it. Browsers close a dialog by the second Escape
 * whatever its `cancel` event is answered, unless the key itself is taken.
 * @param {HTMLDialogElement} element
 * @param {() => void} dismiss
 */
export function closesBy(element, dismiss) {
  /** @param {Event} event */
  const take = (event) => {
    event.preventDefault();
    event.stopPropagation();
    dismiss();
  };
  element.addEventListener("keydown", (event) => event.key === "Escape" && !event.isComposing && take(event));
  element.addEventListener("cancel", (event) => event.target === element && take(event));
}

/** Asks before what was typed is lost. */
export function mayDiscard() {
  return confirm({
    title: "Discard what you typed?",
    text: "It is not saved.",
    verb: "Discard",
    dismiss: "Keep editing",
    failed: "",
    act: async () => {},
  });
}

/**
 * A dialog with one action. While the action fails, the dialog stays open with what was typed. Resolves to the result of
 * the action; to undefined where it was dismissed. An action without a result, or one that has shown errors of fields,
 * throws `STAY` to keep the dialog open.
 * @template T
 * @param {object} action
 * @param {string} action.title
 * @param {(draw: () => void) => unknown} action.content
 * @param {unknown} action.verb on the button
 * @param {string} action.failed what did not happen
 * @param {(values: Record<string, string>) => Promise<T>} action.act
 * @param {string} [action.dismiss] on the other button
 * @param {"primary" | "danger" | "final"} [action.tone]
 * @returns {Promise<T | undefined>}
 */
export function actionDialog({ title, content, verb, failed, act, dismiss = "Cancel", tone = "primary" }) {
  let busy = false;
  /** @type {unknown} */
  let problem = null;
  const doubt = new Doubt();
  /** @type {Record<string, string>} */
  let errors = {};
  /** @typedef {(result?: T) => void} Close */
  const run = once(
    async (/** @type {HTMLFormElement} */ form, /** @type {Close} */ close, /** @type {() => void} */ draw) => {
      errors = lackingIn(form);
      if (Object.keys(errors).length > 0) {
        focusError(form);
        return draw();
      }
      const values = valuesOf(form);
      busy = true;
      problem = null;
      draw();
      try {
        close(await act(values));
      } catch (error) {
        problem = doubt.about(error === STAY ? null : error);
        focusError(form);
      }
      busy = false;
      draw();
    },
  );
  return dialog(title, (/** @type {Close} */ close, draw) => {
    /** @param {SubmitEvent} event */
    const submit = (event) => {
      event.preventDefault();
      void run(/** @type {HTMLFormElement} */ (event.target), close, draw);
    };
    return html`<form novalidate @submit=${submit}>
      ${withErrors(errors, () => content(draw))} ${refusal(problem, failed)}
      <footer>
        <button class="button" type="button" @click=${() => close()}>${isUnknown(problem) ? "Close" : dismiss}</button>
        ${submitButton(verb, busy, { tone })}
      </footer>
    </form>`;
  });
}

/** Thrown by an action that keeps its dialog open without a message of its own. */
export const STAY = Symbol("stay");

/**
 * Asks before something that cannot be taken back, does it, and stays open where it fails. Resolves to whether it was done.
 * What is final has the tone "final"; `effects` lists what happens, and `nameToType` has to be typed.
 * @param {object} question
 * @param {string} question.title
 * @param {unknown} question.text
 * @param {string} question.verb
 * @param {string} question.failed what did not happen
 * @param {() => Promise<unknown>} question.act
 * @param {string} [question.dismiss]
 * @param {"danger" | "final"} [question.tone]
 * @param {readonly {title: string, items: readonly string[]}[]} [question.effects]
 * @param {string} [question.nameToType]
 */
export async function confirm({ title, text, verb, failed, act, dismiss, tone = "danger", effects = [], nameToType }) {
  let error = "";
  const done = await actionDialog({
    title,
    verb,
    failed,
    tone,
    dismiss,
    content: () =>
      html`<p>${text}</p>
        ${effects.map(effectList)} ${nameField(nameToType, error)}`,
    act: async (values) => {
      error = nameError(nameToType, values);
      if (error) throw STAY;
      await act();
      return true;
    },
  });
  return done === true;
}

/** For what cannot be undone, its name is typed. @param {string | undefined} name @param {string | undefined} error */
export const nameField = (name, error) =>
  name ? field({ name: "name-to-type", label: `Type ${name} to continue`, error }) : nothing;

/** Names are compared as people read them. @param {string | undefined} name @param {Record<string, string>} values */
export const nameError = (name, values) =>
  name && plain(values["name-to-type"] ?? "") !== plain(name) ? `Type ${name}.` : "";

/** @param {string} text */
const plain = (text) => text.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLocaleLowerCase();

/** @param {{title: string, items: readonly string[]}} effect */
export function effectList({ title, items }) {
  if (items.length === 0) return nothing;
  return html`<div class="effects">
    <b>${title}</b>
    <ul>
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>
  </div>`;
}
