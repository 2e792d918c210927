// A gift card's code as people have it: typed as it is printed, in small letters, from a link, with what scanners and messengers add.

/** No code of a card is longer. It is not asked for. */
const MAX_LENGTH = 200;
/** Characters that nobody sees or means: zero-width ones, marks of direction, control characters such as a scanner's separator. */
const UNSEEN = /\ufeff|(?!\s)[\p{Cc}\p{Cf}\u034f\u115f\u1160\u2800\u3164]/gu;
/** By which a scanner says what kind of picture it has read: ]Q3, ]C1. */
const AIM_PREFIX = /^\][A-Za-z][0-9A-Za-z]/;

/**
 * The codes that a text can mean, in the order in which they are to be asked for: as it stands first, since letters and blanks can matter.
 * The API tries each without blanks and in capitals as well. None if it cannot be the code of a card.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function codesOf(text) {
  const seen = text.replaceAll(UNSEEN, "").trim().replace(AIM_PREFIX, "").trim();
  if (seen === "" || seen.length > MAX_LENGTH || /[\r\n]/.test(seen)) return [];
  return [...new Set([seen, ...partsOf(seen), ungrouped(seen)])];
}

/** Without dashes, if they stand where a ticket has blanks. @param {string} text */
function ungrouped(text) {
  const groups = text.split(/\s*[\p{Pd}\u2212]\s*/u);
  const rest = groups.at(-1) ?? "";
  const isGrouped = groups.slice(0, -1).every((group) => group.length === 4) && rest.length >= 1 && rest.length <= 4;
  return isGrouped ? groups.join("") : text;
}

/** What can be the code in an address: what it is asked with, or its last parts, since codes can have slashes. @param {string} text */
function partsOf(text) {
  if (!isAddress(text) || !URL.canParse(text)) return [];
  const { pathname, searchParams, hash } = new URL(text);
  const named = [...searchParams]
    .filter(([name]) => /^(c|code|card|qr|qr_?code|id)$/i.test(name))
    .map(([, value]) => value);
  const names = pathname.split("/").filter(Boolean);
  const ends = [1, 2].filter((count) => count <= names.length).map((count) => names.slice(-count).join("/"));
  return [...named, ...ends.map(decoded), decoded(hash.slice(1))].filter(Boolean).slice(0, 2);
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} text */
const isAddress = (text) => /^[a-z][a-z\d+.-]*:\/\//i.test(text);

/**
 * What a text is that is no card's code; null where it may be one of a card that is not known.
 *
 * @param {string} text
 * @returns {"nothing" | "link" | "product" | null}
 */
export function otherKind(text) {
  const [code] = codesOf(text);
  if (code === undefined) return "nothing";
  if (isAddress(code)) return "link";
  return isProduct(code) ? "product" : null;
}

/** In English. @param {string} text */
export function otherThing(text) {
  const kind = otherKind(text);
  return kind ? OTHER_THINGS[kind] : "";
}

const OTHER_THINGS = {
  nothing: "This is not the code of a gift card.",
  link: "This is a link, and leads to no card of this business.",
  product: "This is the code of a product, not of a gift card.",
};

/** EAN-8, UPC-A, EAN-13 and ITF-14, by their check digits. @param {string} code */
function isProduct(code) {
  if (!/^(\d{8}|\d{12,14})$/.test(code)) return false;
  const sum = [...code].reverse().reduce((total, digit, index) => total + Number(digit) * (index % 2 ? 3 : 1), 0);
  return sum % 10 === 0;
}
