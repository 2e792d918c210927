// The keyboard of the page, on which a hand scanner types as well: tells whose keys they are, and keeps a scanner's from
// fields and buttons.

import { AltCodes, characterAt, UNREAD } from "./key-places.js";
import { SCANNER_GAP, ScanRecogniser } from "./scan-recogniser.js";

/** People type text faster than amounts: in a field only what nobody types is a scan. */
const IN_FIELD = { gap: 50, least: 8 };
/** Nobody types the code of a card as fast as amounts; scanners without an Enter are heard in its field too. */
const IN_CODE = { gap: SCANNER_GAP, least: 8 };
const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock", "ScrollLock", "Fn"]);

/** @typedef {Extract<import("./scan-recogniser.js").Stroke, {kind: "scanned"}>} Scan */

/**
 * @typedef {object} KeyReaderOptions
 * @property {(scan: Scan) => void} onScan
 * @property {(key: string, stroke: {at: number, isFast: boolean}) => void} onKey a key that a person pressed outside of a field
 * @property {(count: number) => void} onUndo as many of these keys were the beginning of a scan
 */

export class KeyReader {
  #outside = new ScanRecogniser();
  #inside = new ScanRecogniser(IN_FIELD);
  #inCode = new ScanRecogniser(IN_CODE);
  #altCodes = new AltCodes();
  /** The field that is typed in, and what it held before. */
  #field = { element: /** @type {HTMLInputElement | null} */ (null), value: "", changedAt: -Infinity };
  /** What Enter or the space bar would press. @type {HTMLElement | null} */
  #pressed = null;
  #timer = 0;
  #on;

  /** @param {KeyReaderOptions} options */
  constructor(options) {
    this.#on = options;
  }

  /** @param {KeyboardEvent[]} early keys that came while this file was loading: only a scan among them counts */
  start(early) {
    // Before any field or button sees the key.
    addEventListener("keydown", this.#read, { capture: true });
    addEventListener("keyup", this.#release, { capture: true });
    for (const event of early) {
      const { key, timeStamp } = event;
      const field = this.#fieldOf(event);
      if (MODIFIERS.has(key) || (field && !field.hasAttribute("data-code"))) continue;
      this.#handle(
        this.#recogniserOf(field)
          .read(key, timeStamp, characterAt(event))
          .filter(({ kind }) => kind === "scanned"),
        null,
      );
    }
    const last = early.at(-1);
    const field = last ? this.#fieldOf(last) : null;
    this.#restLater(this.#recogniserOf(field), field);
  }

  #read = (/** @type {KeyboardEvent} */ event) => {
    const { key, timeStamp: at } = event;
    if (event.isComposing || MODIFIERS.has(key)) return;
    const field = this.#fieldOf(event);
    const recogniser = this.#recogniserOf(field);
    if (event.altKey) this.#altCodes.press(event);
    if (event.ctrlKey || event.metaKey || event.altKey) {
      // A separator or an end of line, as scanners write them.
      if (recogniser.isScanning(at)) swallow(event);
      return;
    }
    // A key that is held down is no amount, and no scan.
    if (event.repeat && key !== "Backspace") return field ? undefined : swallow(event);
    clearTimeout(this.#timer);
    // What waits was typed before the focus came to the field. A key that moves it there does not write in it as well.
    if (field) this.#handle(this.#outside.rest(Infinity), null);
    else if (key.length === 1 && key !== " ") event.preventDefault();
    if (field) this.#remember(field, event);
    const strokes = recogniser.read(key, at, characterAt(event));
    const target = field ? null : pressedBy(key, event.target);
    // Buttons wait as well until it is certain whose key it is.
    if (recogniser.isScanning(at) || target) swallow(event);
    if (target) this.#pressed = target;
    this.#handle(strokes, field);
    this.#restLater(recogniser, field);
  };

  /**
   * @param {ScanRecogniser} recogniser
   * @param {HTMLInputElement | null} field
   */
  #restLater(recogniser, field) {
    this.#timer = setTimeout(() => this.#handle(recogniser.rest(performance.now()), field), SCANNER_GAP + 5);
  }

  /** The field that a key is typed in. A scan that began before the focus came to it is one. @param {KeyboardEvent} event */
  #fieldOf({ target, timeStamp }) {
    return this.#outside.isRunning(timeStamp) ? null : fieldOf(target);
  }

  /** @param {HTMLInputElement | null} field */
  #recogniserOf(field) {
    return field ? (field.hasAttribute("data-code") ? this.#inCode : this.#inside) : this.#outside;
  }

  /** In some browsers the space bar presses a button when it is released. */
  #release = (/** @type {KeyboardEvent} */ event) => {
    const written = event.key === "Alt" ? this.#altCodes.release() : "";
    if (written) {
      const field = fieldOf(event.target);
      clearTimeout(this.#timer);
      this.#handle(this.#recogniserOf(field).read(written, event.timeStamp, written), field);
      this.#restLater(this.#recogniserOf(field), field);
    }
    if (event.key === " " && pressedBy(" ", event.target)) event.preventDefault();
  };

  /**
   * @param {import("./scan-recogniser.js").Stroke[]} strokes
   * @param {HTMLInputElement | null} field
   */
  #handle(strokes, field) {
    for (const stroke of strokes) {
      if (stroke.kind === "scanned") {
        this.#restore();
        this.#on.onScan(stroke);
      } else if (stroke.kind === "undone") {
        if (!field) this.#on.onUndo(stroke.count);
      } else if (!field) {
        this.#typed(stroke.key, stroke);
      }
    }
  }

  /**
   * @param {string} key
   * @param {{at: number, isFast: boolean}} stroke
   */
  #typed(key, stroke) {
    const pressed = key === "Enter" || key === " " ? this.#pressed : null;
    this.#pressed = null;
    // The button that moves money is the view's: Enter has to mean it.
    if (!pressed?.isConnected || pressed.hasAttribute("data-pays"))
      this.#on.onKey(key === " " && pressed ? "Enter" : key, stroke);
    else if (!stroke.isFast) pressed.click();
  }

  /**
   * @param {HTMLInputElement} element
   * @param {KeyboardEvent} event
   */
  #remember(element, event) {
    const at = event.timeStamp;
    // What is typed into an empty field, by the places of its keys.
    if (element.value === "") element.dataset.placed = "";
    if (event.key.length === 1 || event.key === "Dead") element.dataset.placed += characterAt(event) || UNREAD;
    const isNew = element !== this.#field.element || at - this.#field.changedAt > IN_FIELD.gap;
    this.#field = { element, value: isNew ? element.value : this.#field.value, changedAt: at };
  }

  /** A code that was scanned is no e-mail address. Fields for codes keep it. */
  #restore() {
    const { element, value } = this.#field;
    this.#field = { element: null, value: "", changedAt: -Infinity };
    if (!element?.hasAttribute("data-no-scan")) return;
    element.value = value;
    element.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
}

/** @param {Event} event */
function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}

/**
 * @param {EventTarget | null} target
 * @returns {HTMLInputElement | null}
 */
function fieldOf(target) {
  return target instanceof HTMLInputElement ? target : null;
}

/**
 * @param {string} key
 * @param {EventTarget | null} target
 * @returns {HTMLElement | null}
 */
function pressedBy(key, target) {
  if ((key !== "Enter" && key !== " ") || !(target instanceof Element)) return null;
  return target.closest(key === "Enter" ? "a, button, summary" : "button, summary");
}
