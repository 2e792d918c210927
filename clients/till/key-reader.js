// Tells a hand scanner from a person at the keyboard. A scanner is a keyboard that types a code within milliseconds and
// then presses Enter.

const BURST_GAP = 40; // milliseconds; nobody types this fast
const BURST_LENGTH = 6;

/**
 * @typedef {object} KeyReaderOptions
 * @property {(code: string) => void} onScan
 * @property {(key: string) => void} onKey a key that a person pressed outside of a field
 */

export class KeyReader {
  /** @type {string[]} */
  #burst = [];
  #lastAt = 0;
  #timer = 0;
  #onScan;
  #onKey;

  /** @param {KeyReaderOptions} options */
  constructor({ onScan, onKey }) {
    this.#onScan = onScan;
    this.#onKey = onKey;
  }

  start() {
    // Before any field or button sees the key.
    addEventListener("keydown", this.#read, { capture: true });
  }

  #read = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.timeStamp - this.#lastAt > BURST_GAP) this.#flush(event.target);
    this.#lastAt = event.timeStamp;
    clearTimeout(this.#timer);
    if (event.key === "Enter" && this.#burst.length >= BURST_LENGTH) {
      const code = this.#burst.join("");
      this.#burst = [];
      event.preventDefault();
      event.stopPropagation();
      this.#onScan(code);
      return;
    }
    if (event.key.length === 1) {
      this.#burst.push(event.key);
      this.#timer = setTimeout(() => this.#flush(event.target), BURST_GAP);
      return;
    }
    this.#flush(event.target);
    const isNative = event.key === "Enter" && event.target instanceof Element && event.target.closest("a, button, input, summary");
    if (!isNative && event.key !== "Shift" && !isField(event.target)) this.#onKey(event.key);
  };

  /** What was no burst was typed. @param {EventTarget | null} target */
  #flush(target) {
    const keys = this.#burst;
    this.#burst = [];
    if (keys.length < BURST_LENGTH && !isField(target)) keys.forEach((key) => this.#onKey(key));
  }
}

/** @param {EventTarget | null} target */
function isField(target) {
  return target instanceof HTMLInputElement;
}
