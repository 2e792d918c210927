// A blocking script for <head>: sets data-theme before the first paint, from the user's choice or the system's.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function apply() {
    let choice = null;
    try {
      choice = localStorage.getItem("theme");
    } catch {
      // Storage is blocked: the system decides.
    }
    document.documentElement.dataset.theme =
      choice === "light" || choice === "dark" ? choice : dark.matches ? "dark" : "light";
  }

  apply();
  dark.addEventListener("change", apply);
  addEventListener("storage", apply); // chosen in another tab
  addEventListener("theme-choice", apply);
})();
