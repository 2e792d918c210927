// Rules that keep text readable on and in the colours that merchants choose. Contrast is that of WCAG 2.2, which requires
// 4.5 between text and its background. Pure functions; every colour is a string `#rrggbb`.

const READABLE = 4.5;
const BLACK = "#000000";
const WHITE = "#ffffff";

/** Returns the colour in lower case, or null if the value is not `#rrggbb`. Everything else stays out of style sheets.
 * @param {unknown} value
 * @returns {string | null} */
export const parseColor = (value) =>
  typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : null;

/** @param {string} color @returns {number[]} red, green and blue from 0 to 255 */
const channels = (color) => [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));

/** Relative luminance from 0 (black) to 1 (white).
 * @param {string} color */
function luminance(color) {
  const [red, green, blue] = channels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast between two colours, from 1 to 21.
 * @param {string} one @param {string} other */
export function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Mixes `share` (0 to 1) of `other` into the colour.
 * @param {string} color @param {string} other @param {number} share */
export function mix(color, other, share) {
  const others = channels(other);
  const mixed = channels(color).map((channel, i) => Math.round(channel + (others[i] - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** The colour of text on this background: white where it is readable, else the better of black and white. One of the two
 * always reaches 4.5.
 * @param {string} background */
export function textOn(background) {
  if (contrast(WHITE, background) >= READABLE) return WHITE;
  return contrast(BLACK, background) > contrast(WHITE, background) ? BLACK : WHITE;
}

/** The colour as text on this background: itself where it is readable, else mixed towards black or white until it is.
 * @param {string} color @param {string} background */
export function asText(color, background) {
  const end = contrast(BLACK, background) > contrast(WHITE, background) ? BLACK : WHITE;
  for (let percent = 0; percent < 100; percent += 4) {
    const mixed = mix(color, end, percent / 100);
    if (contrast(mixed, background) >= READABLE) return mixed;
  }
  return end;
}

/** The other end of a gradient from this colour: shaded away from the text on it, so that contrast only grows.
 * @param {string} color @param {number} [share] */
export const shade = (color, share = 0.22) => mix(color, textOn(color) === WHITE ? BLACK : WHITE, share);

/** One or two letters that stand for a name where there is no logo.
 * @param {string} name */
export function initials(name) {
  const words = name
    .trim()
    .split(/\s+/u)
    .filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const letters = words.map((word) => [...word][0]);
  return (letters.length > 1 ? letters[0] + letters[letters.length - 1] : (letters[0] ?? "")).toLocaleUpperCase();
}
