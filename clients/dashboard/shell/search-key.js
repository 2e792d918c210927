// The slash key goes to the search field. Loaded by the pages that have one.

/** @param {KeyboardEvent} event */
function focusSearch(event) {
  const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
  const search = document.querySelector("input[type='search']");
  if (search instanceof HTMLElement) {
    event.preventDefault();
    search.focus();
  }
}

document.addEventListener("keydown", focusSearch);
