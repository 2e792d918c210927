// Browser and system of a session.

/** The first that the text has. @param {string} text @param {readonly (readonly [RegExp, string])[]} names */
const nameIn = (text, names) => names.find(([pattern]) => pattern.test(text))?.[1];

const BROWSERS = /** @type {const} */ ([
  [/Edg(A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|CriOS)\//, "Chrome"],
  [/Safari\//, "Safari"],
]);
const SYSTEMS = /** @type {const} */ ([
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Mac OS/, "macOS"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
]);

/** @param {string} userAgent */
export function deviceOf(userAgent) {
  const [browser, system] = [nameIn(userAgent, BROWSERS) ?? "A browser", nameIn(userAgent, SYSTEMS)];
  return system ? `${browser} on ${system}` : browser;
}
