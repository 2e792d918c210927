// Styles that are loaded with the pages that need them.

/** @type {Map<string, Promise<void>>} */
const loading = new Map();

/** Adds a style sheet once. @param {string} href @returns {Promise<void>} resolved when it applies */
export function loadStyle(href) {
  const known = loading.get(href);
  if (known) return known;
  const loaded = new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(href));
    document.head.append(link);
  });
  loading.set(href, loaded);
  loaded.catch(() => loading.delete(href));
  return loaded;
}
