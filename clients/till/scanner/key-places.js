// What a scanner means by a key, whatever the layout of the device makes of it: most scanners press the keys of an American keyboard. On a
// French one, HA112 comes as HQ&&é.

const SHIFTED = ")!@#$%^&*(";
/** @type {Record<string, string>} what a key writes, without and with Shift */
const SIGNS = {
  Minus: "-_",
  Equal: "=+",
  BracketLeft: "[{",
  BracketRight: "]}",
  Backslash: "\\|",
  Semicolon: ";:",
  Quote: "'\"",
  Backquote: "`~",
  Comma: ",<",
  Period: ".>",
  Slash: "/?",
  Space: "  ",
  NumpadAdd: "++",
  NumpadSubtract: "--",
  NumpadMultiply: "**",
  NumpadDivide: "//",
  NumpadDecimal: "..",
};

/**
 * The character at the place of the key; "" for a key that writes none, or an event that does not say where its key is.
 *
 * @param {{key: string, code: string, shiftKey: boolean}} stroke
 */
export function characterAt({ key, code, shiftKey }) {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  // As the key has it, with Caps Lock; it may be no letter in this layout.
  const isSmall = /^\p{L}$/u.test(key) ? key === key.toLowerCase() : !shiftKey;
  if (letter) return isSmall ? letter.toLowerCase() : letter;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
  if (digit) return shiftKey && code.startsWith("Digit") ? (SHIFTED[Number(digit)] ?? "") : digit;
  return SIGNS[code]?.[shiftKey ? 1 : 0] ?? "";
}

/** A character that could not be read. */
export const UNREAD = "\ufffd";
const PLAIN = /^[A-Za-z0-9-]+$/;

/**
 * How a scan can be read, the likelier way first: by what the keys wrote, and by their places. None if it cannot be read at all.
 *
 * @param {string} written
 * @param {string} placed
 */
export function readingsOf(written, placed) {
  const readings = [written, placed].filter((reading) => reading !== "" && !reading.includes(UNREAD));
  if (PLAIN.test(placed) && !PLAIN.test(written)) readings.reverse();
  return [...new Set(readings)];
}

/**
 * Scanners that write each character as Alt and its number on the keypad, as Windows reads it.
 */
export class AltCodes {
  #digits = "";

  /** @param {KeyboardEvent} event a key that was pressed while Alt is */
  press({ code }) {
    this.#digits += /^Numpad(\d)$/.exec(code)?.[1] ?? "";
  }

  /** Alt was released: the character, or "". */
  release() {
    const number = Number(this.#digits);
    this.#digits = "";
    return number >= 32 && number < 127 ? String.fromCharCode(number) : "";
  }
}
