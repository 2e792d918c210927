// An amount as it is entered, by keypad or keyboard. Digits fill from the right, as on a cash register: 12550 is 125.50.
// With a separator they are read as written: 12.5, 12,50 and 1 250.

const MAX_MINOR = 999_999_999;
const MAX_LENGTH = 15;
/** Enter pays once the amount has not changed for this long. Milliseconds. */
const REST = 1000;

export class AmountEntry {
  /** Why a key was not taken, or was taken otherwise than it may be meant. @type {import("./text.js").Message | null} */
  note = null;
  /** Digits and separators. */
  #text = "";
  /** An amount that was not typed, such as a suggested one. The first digit replaces it. @type {number | null} */
  #chosen = null;
  /** A part of it came faster than people type. */
  #isFast = false;
  #changedAt = -Infinity;
  /** What it was before each of the last keys. @type {{text: string, chosen: number | null, isFast: boolean}[]} */
  #past = [];
  #currency;
  #decimals;
  #decimalSign;

  /** @param {{currency: string, decimals: number, decimalSign: string}} options the sign is "." or "," */
  constructor({ currency, decimals, decimalSign }) {
    this.#currency = currency;
    this.#decimals = decimals;
    this.#decimalSign = decimalSign;
  }

  /** In minor units. */
  get amount() {
    return this.#chosen ?? this.#read(this.#text) ?? 0;
  }

  /**
   * @param {number} amount
   * @param {number} at milliseconds
   */
  choose(amount, at) {
    this.#change({ text: "", chosen: amount, isFast: false }, at);
  }

  /**
   * @param {string} key "0" to "9", "00", "000", a separator or "Backspace"; others change nothing
   * @param {{at: number, isFast: boolean}} stroke
   */
  press(key, { at, isFast }) {
    if (key === "Backspace") {
      const text = (this.#chosen === null ? this.#text : String(this.#chosen)).slice(0, -1);
      return this.#change({ text, chosen: null, isFast: text !== "" && this.#isFast }, at);
    }
    if (!/^(\d{1,3}|[.,' \u00a0])$/.test(key)) return this.#change(this.#state, at);
    const before = this.#chosen === null ? this.#text : "";
    const text = before + key;
    const amount = this.#read(text);
    const isTaken =
      amount !== null && amount <= MAX_MINOR && text.length <= MAX_LENGTH && (before !== "" || /[\d.,]/.test(key));
    this.#change(isTaken ? { text, chosen: null, isFast: this.#isFast || isFast } : this.#state, at);
    this.note = isTaken ? this.#groupNote(text) : amount === null ? this.#refusalNote(key) : null;
  }

  /** The amount has just come on the screen: Enter has to rest from now on. @param {number} at milliseconds */
  appear(at) {
    this.#changedAt = at;
  }

  /** The last keys turned out to be a scanner's. @param {number} count */
  undo(count) {
    const state = this.#past.splice(-count)[0];
    if (!state) return;
    ({ text: this.#text, chosen: this.#chosen, isFast: this.#isFast } = state);
    this.note = null;
  }

  /**
   * Whether Enter means it: only if a person typed the amount, and then waited. Else the note says what to do.
   *
   * @param {{at: number, isFast: boolean}} stroke
   */
  mayPay({ at, isFast }) {
    const isRested = at - this.#changedAt >= REST;
    if (this.#isFast) this.note = ["note-as-fast-as-scanner"];
    else if (isFast || !isRested) this.note = ["note-press-again"];
    return !this.#isFast && !isFast && isRested;
  }

  get #state() {
    return { text: this.#text, chosen: this.#chosen, isFast: this.#isFast };
  }

  /**
   * @param {{text: string, chosen: number | null, isFast: boolean}} state
   * @param {number} at
   */
  #change(state, at) {
    this.#past = [...this.#past.slice(-20), this.#state];
    ({ text: this.#text, chosen: this.#chosen, isFast: this.#isFast } = state);
    this.#changedAt = at;
    this.note = null;
  }

  /**
   * Minor units, or null if the text cannot be meant as an amount.
   *
   * @param {string} text
   */
  #read(text) {
    const digits = text.replaceAll(/\D/g, "");
    // All digits are minor units, as they are where the currency has no others.
    if (digits === text || this.#decimals === 0) return Number(digits);
    const at = this.#decimalAt(text);
    if (at === null) return Number(digits) * 10 ** this.#decimals;
    const units = text.slice(0, at).replaceAll(/[^\d]/g, "");
    const fraction = text.slice(at + 1);
    if (fraction.length > this.#decimals || /\D/.test(fraction) || text.slice(0, at).includes(this.#decimalSign))
      return null;
    return Number(units) * 10 ** this.#decimals + Number(fraction.padEnd(this.#decimals, "0"));
  }

  /**
   * Where the decimals begin; null if there are none.
   *
   * @param {string} text
   */
  #decimalAt(text) {
    const at = Math.max(text.lastIndexOf("."), text.lastIndexOf(","));
    if (at < 0) return null;
    const sign = text[at];
    const isOnly = text.indexOf(String(sign)) === at;
    // The locale's other sign separates thousands, but only before three digits: "12,50" is no 1,250.
    const isGroup = sign !== this.#decimalSign && (!isOnly || (this.#decimals < 3 && text.length - at - 1 === 3));
    return isGroup ? null : at;
  }

  /** @param {string} text that was taken @returns {import("./text.js").Message | null} */
  #groupNote(text) {
    const at = this.#decimals === 0 ? null : this.#decimalAt(text);
    const [, ...groups] = text.slice(0, at ?? undefined).split(/\D/);
    const isWell = groups.every(({ length }, index) => length === 3 || (length === 0 && index === groups.length - 1));
    if (isWell) return null;
    return this.#decimals === 0 && /[.,]/.test(text)
      ? ["note-no-decimals", { currency: this.#currency }]
      : ["note-separator"];
  }

  /** @param {string} key that was not taken @returns {import("./text.js").Message} */
  #refusalNote(key) {
    return /\d/.test(key)
      ? ["note-too-many-decimals", { currency: this.#currency, decimals: this.#decimals, key }]
      : ["note-second-separator"];
  }
}

/** A stroke of the page's own keypad. @param {number} at */
export function tap(at) {
  return { at, isFast: false };
}
