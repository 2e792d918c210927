// The user's choice of light or dark, which theme.js applies.

/** @returns {"light" | "dark"} */
export function currentTheme() {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

/** Switches between light and dark. The system's own theme needs no stored choice. */
export function switchTheme() {
  const next = currentTheme() === "dark" ? "light" : "dark";
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  try {
    if (next === system) localStorage.removeItem("theme");
    else localStorage.setItem("theme", next);
    dispatchEvent(new Event("theme-choice"));
  } catch {
    document.documentElement.dataset.theme = next; // storage is blocked: for this page only
  }
}
