// Styles that the first paint of the overview does not need.

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/** Those of forms and of most pages. */
export const loadStyles = () => Promise.all([loadSheet("/kit/controls.css"), loadSheet("/pages.css")]);

/** Adds a style sheet once; those of a few pages are loaded with them. @param {string} href */
export function loadSheet(href) {
  const sheet = sheets.get(href) ?? add(href);
  sheets.set(href, sheet);
  return sheet;
}

/** @param {string} href @returns {Promise<void>} */
function add(href) {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(href));
    document.head.append(link);
  });
}
