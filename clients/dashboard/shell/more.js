// Further pages of a list.

/**
 * Adds a page to what a resource shows, unless that was replaced while the page was on its way: by another filter, or another card.
 * @template T
 * @param {import("./page.js").Resource<T>} resource
 * @param {(shown: T) => Promise<T>} read what is shown, and the page behind it
 */
export async function extend(resource, read) {
  const shown = resource.data;
  if (shown === undefined) return;
  try {
    const longer = await read(shown);
    if (resource.data === shown) Object.assign(resource, { data: longer, problem: null });
  } catch (problem) {
    if (resource.data === shown) resource.problem = problem;
  }
  resource.page.requestUpdate();
}
