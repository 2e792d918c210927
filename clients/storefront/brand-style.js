// The merchant's colours as custom properties of the page. An adopted style sheet, as the page's policy forbids inline styles.

import { asText, mix, parseColor, shade, textOn } from "/kit/brand.js";

// For merchants that have not chosen a colour.
const DEFAULT_COLOR = "#24424f";
// --canvas of tokens.css in light and dark.
const CANVAS = { light: "#f5f7f9", dark: "#0b0f11" };

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);

/** @param {{primaryColor: string | null, secondaryColor: string | null}} merchant */
export function applyBrand({ primaryColor, secondaryColor }) {
  const brand = parseColor(primaryColor) ?? DEFAULT_COLOR;
  const accent = parseColor(secondaryColor) ?? mix(brand, textOn(brand), 0.2);
  sheet.replaceSync(`
    :root { --brand: ${brand}; --brand-end: ${shade(brand)}; --on-brand: ${textOn(brand)}; --brand-accent: ${accent};
      --brand-text: ${asText(brand, CANVAS.light)}; }
    :root[data-theme="dark"] { --brand-text: ${asText(brand, CANVAS.dark)}; }`);
}
