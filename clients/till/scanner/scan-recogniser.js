// Tells a hand scanner from a person by the time between two keys. A scanner is a keyboard that types a code at 5 to 120
// milliseconds a key, and ends it with Enter, Tab, an arrow, a function key or nothing. Without a page or a clock: keys and times
// in, strokes out.

import { readingsOf, UNREAD } from "./key-places.js";

/** A person leaves more than this between two keys, a scanner less. Milliseconds. */
export const SCANNER_GAP = 145;
/** As many fast keys in a row are a scan. Fewer can be a person's: two fingers for "00". */
const LEAST = 4;
/** Keys that are further apart have nothing to do with each other. */
const TRAIN_GAP = 250;
/** A scanner that stutters is fast on average. */
const LEAST_ON_AVERAGE = 8;
/** What comes this soon after a scan belongs to it: the rest of its code, or its Enter. A person has to read first. */
const REST_OF_CODE = 400;
const LATE_SUFFIX = 1000;

/**
 * What keys were: typed (`isFast`: faster than people type), typed and now known to be the beginning of a scan, or scanned.
 *
 * @typedef {{kind: "typed", key: string, at: number, isFast: boolean} | {kind: "undone", count: number}
 *   | {kind: "scanned", code: string, other?: string, keys: string[]}} Stroke `code` is "" if it cannot be read, `other` what it may be
 *   instead, `keys` what came, to be typed if it was a person after all
 */

/** `written` by the layout, `placed` by the place of the key. @typedef {{key: string, written: string, placed: string, at: number, isTyped: boolean}} Key */

export class ScanRecogniser {
  /** Keys that may turn out to be a scan, oldest first. @type {Key[]} */
  #keys = [];
  /** @type {{keys: Key[], at: number, state: "running" | "announced" | "ended"} | null} */
  #scan = null;
  #gap;
  #least;

  /** @param {{gap?: number, least?: number}} [options] stricter where people type fast, such as in fields for text */
  constructor({ gap = SCANNER_GAP, least = LEAST } = {}) {
    this.#gap = gap;
    this.#least = least;
  }

  /** Whether a key at this time comes from the scanner, whatever it is. @param {number} at */
  isScanning(at) {
    return this.#scan !== null && at - this.#scan.at <= LATE_SUFFIX;
  }

  /** Whether a scan is coming in at this time. @param {number} at */
  isRunning(at) {
    return this.#scan?.state === "running" && at - this.#scan.at <= this.#gap;
  }

  /**
   * @param {string} key as in KeyboardEvent.key
   * @param {number} at milliseconds
   * @param {string} [placed] the character at the place of the key
   * @returns {Stroke[]}
   */
  read(key, at, placed = "") {
    const strokes = this.rest(at);
    /** @type {Key} */
    const one = { key, written: writtenBy(key, placed), placed: placed || UNREAD, at, isTyped: false };
    if (this.#continues(one)) return [...strokes, ...this.#goOn(one)];
    this.#scan = null;
    if (!one.written && key !== "Enter") {
      strokes.push(...this.#type(), { kind: "typed", key, at, isFast: false });
      this.#keys = [];
      return strokes;
    }
    const last = this.#keys.at(-1);
    if (last && at - last.at > TRAIN_GAP) this.#keys = [];
    this.#keys.push(one);
    const start = one.written ? this.#startOfScan() : null;
    return start === null ? strokes : [...strokes, ...this.#begin(start)];
  }

  /**
   * No key came until now.
   *
   * @param {number} at
   * @returns {Stroke[]}
   */
  rest(at) {
    if (this.#scan?.state === "running" && at - this.#scan.at > this.#gap) {
      this.#scan = { ...this.#scan, state: "announced" };
      return [scanned(this.#scan.keys)];
    }
    const last = this.#keys.at(-1);
    return last && at - last.at > this.#gap ? this.#type() : [];
  }

  /** @param {Key} key */
  #continues({ key, written, at }) {
    if (!this.#scan) return false;
    const restOfCode = this.#scan.state === "ended" ? this.#gap : REST_OF_CODE;
    // A key of no character is a suffix as well, such as F8 or an arrow, unless people correct or leave with it.
    const limit = written ? restOfCode : CORRECTS.test(key) ? this.#gap : LATE_SUFFIX;
    return at - this.#scan.at <= limit;
  }

  /**
   * @param {Key} key
   * @returns {Stroke[]}
   */
  #goOn(key) {
    const scan = this.#scan;
    if (!scan) return [];
    const { at } = key;
    if (isSuffix(key.key)) {
      const isNews = scan.state === "running";
      this.#scan = { ...scan, at: isNews ? at : scan.at, state: "ended" };
      return isNews ? [scanned(scan.keys)] : [];
    }
    // It may be a control character in the code: the rest of it follows at once.
    if (!key.written) this.#scan = { ...scan, at: scan.state === "running" ? at : scan.at };
    else this.#scan = { keys: scan.state === "ended" ? [key] : [...scan.keys, key], at, state: "running" };
    return [];
  }

  /** The index of the first key of the scan that has just become certain, or null. */
  #startOfScan() {
    const gaps = this.#keys.map(({ at }, index) => at - (this.#keys[index - 1]?.at ?? -Infinity));
    const fast = gaps.slice(1 - this.#least);
    const some = gaps.slice(1 - LEAST_ON_AVERAGE);
    const hasRun = this.#keys.length >= this.#least && fast.every((gap) => gap <= this.#gap);
    const isFastOnAverage = this.#keys.length >= LEAST_ON_AVERAGE && mean(some) < this.#gap;
    if (!hasRun && !isFastOnAverage) return null;
    const run = hasRun ? fast : some;
    let start = this.#keys.length - run.length - 1;
    // What came before it at its own pace belongs to it as well.
    const pace = Math.max(this.#gap, 1.6 * mean(run));
    while (start > 0 && Number(gaps[start]) <= pace) start -= 1;
    return start;
  }

  /**
   * @param {number} start
   * @returns {Stroke[]}
   */
  #begin(start) {
    const keys = this.#keys.slice(start).filter(({ written }) => written);
    const count = keys.filter(({ isTyped }) => isTyped).length;
    this.#scan = { keys, at: Number(keys.at(-1)?.at), state: "running" };
    this.#keys = [];
    return count > 0 ? [{ kind: "undone", count }] : [];
  }

  /** Keys that were no scan were typed. @returns {Stroke[]} */
  #type() {
    const waiting = this.#keys.filter(({ isTyped }) => !isTyped);
    this.#keys = this.#keys.map((key) => ({ ...key, isTyped: true }));
    const characters = waiting.filter(({ written }) => written).length;
    // An Enter on the heels of a digit makes no scanner of who typed the digit.
    return waiting.map(({ key, written, at }) => ({
      kind: "typed",
      key,
      at,
      isFast: written ? characters > 1 : waiting.length > 1,
    }));
  }
}

/** @param {number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** @param {Key[]} keys @returns {Stroke} */
function scanned(keys) {
  const text = (/** @type {"written" | "placed"} */ by) => keys.map((key) => key[by]).join("");
  const [code = "", other] = readingsOf(text("written"), text("placed"));
  return { kind: "scanned", code, ...(other && { other }), keys: keys.map(({ key }) => key) };
}

/**
 * The character that a key writes, `UNREAD` for one that writes something which nobody knows, such as an accent that waits for its letter,
 * and "" for one that writes nothing.
 *
 * @param {string} key
 * @param {string} placed
 */
function writtenBy(key, placed) {
  if (key.length === 1) return key;
  return /^(Dead|Unidentified|Process)$/.test(key) || (placed && key !== "Enter" && key !== "Tab") ? UNREAD : "";
}

const CORRECTS = /^(Backspace|Delete|Escape)$/;

/** @param {string} key */
function isSuffix(key) {
  return key === "Enter" || key === "Tab";
}
