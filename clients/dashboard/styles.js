// Styles that the first paint of the overview does not need.

/** @type {Promise<void> | null} */
let styles = null;

export function loadStyles() {
  styles ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = "/pages.css";
    link.onload = () => resolve();
    link.onerror = () => reject(new Error("pages.css"));
    document.head.append(link);
  });
  return styles;
}
