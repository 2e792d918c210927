// Addresses of pages: real paths by the History API.

/** @param {string} address @param {{replace?: boolean}} [options] */
export function go(address, { replace = false } = {}) {
  const url = new URL(address, location.href);
  if (url.href === location.href) replace = true;
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  dispatchEvent(new Event("route"));
}

/**
 * Changes parameters of the page's address; empty ones are left out.
 * @param {Record<string, string | number | null>} changes
 * @param {{replace?: boolean}} [options]
 */
export function goWith(changes, options) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, String(value));
  }
  go(url.href, options);
}

/** Follows links of the page without loading it anew. @param {MouseEvent} event */
export function followLink(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const target = event.target instanceof Element ? event.target : null;
  const link =
    target?.closest("a") ??
    (target?.closest("button, input, select, textarea, label") ? null : target?.closest("tr.link")?.querySelector("a"));
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (target?.closest("tr.link") && String(getSelection())) return; // text of a row is being selected
  event.preventDefault();
  go(link.href);
}
