// The last part of a shop's address, from the name of the business.

/** Letters that do not come apart into a letter and its mark. @type {Record<string, string>} */
const LETTERS = { ø: "o", æ: "ae", œ: "oe", ß: "ss", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ı: "i" };

/** @param {string} name */
export function slugOf(name) {
  return name
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f'’]/g, "")
    .replaceAll(/[øæœßłđðþħı]/g, (letter) => LETTERS[letter] ?? "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, "");
}

/** @param {string} slug */
export const isSlug = (slug) => /^(?=.{3,40}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(slug);
