// Addresses of pages: real paths by the History API. Leaving a page with unsaved input asks first.

/** Whether leaving the page loses what was typed, which the app tells, and whether it may, which the base of such pages asks. */
export const leaving = { changed: () => false, mayDiscard: async () => true };

/** The number of the history's entry; each new one is one more. */
let position = Number(history.state?.position ?? 0);
history.replaceState({ position }, "");
history.scrollRestoration = "manual"; // pages are shown before they have their data and height

export const currentPosition = () => position;

/** @param {string} address @param {{replace?: boolean}} [options] */
export function go(address, { replace = false } = {}) {
  const url = new URL(address, location.href);
  const move = () => {
    if (replace || url.href === location.href) history.replaceState({ position }, "", url);
    else history.pushState({ position: ++position }, "", url);
    dispatchEvent(new CustomEvent("route"));
  };
  if (url.pathname !== location.pathname && leaving.changed()) ask(move);
  else move();
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

/** @param {() => void} leave */
async function ask(leave) {
  if (await leaving.mayDiscard()) leave();
}

/** The browser has moved already, and is sent back until somebody has decided. */
let returning = false;
let decided = false;
addEventListener("popstate", ({ state }) => {
  if (state === null) return history.replaceState({ position }, ""); // only the fragment was changed, by hand
  const steps = state.position - position;
  if (returning) {
    returning = false;
  } else if (!decided && leaving.changed()) {
    returning = true;
    history.go(-steps);
    ask(() => {
      decided = true;
      history.go(steps);
    });
  } else {
    decided = false;
    position = state.position;
    dispatchEvent(new CustomEvent("route", { detail: { traversed: true } }));
  }
});
addEventListener("beforeunload", (event) => {
  if (leaving.changed()) event.preventDefault();
});

/** Follows links of the page without loading it anew. @param {MouseEvent} event */
export function followLink(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const target = event.target instanceof Element ? event.target : null;
  const link = target?.closest("a") ?? linkOfRow(target);
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (target?.closest("tr.link") && String(getSelection())) return; // text of a row is being selected
  event.preventDefault();
  go(link.href);
}

/** @param {Element | null} target */
function linkOfRow(target) {
  if (target?.closest("button, input, select, textarea, label")) return null;
  return target?.closest("tr.link")?.querySelector("a") ?? null;
}
