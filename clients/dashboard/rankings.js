// Shares of a whole: names by size, and what fraud checks came to. Drawn with SVG: the policy of the page allows no inline styles.

import { html, nothing, svg } from "/kit/vendor/lit.js";
import { formatCount } from "./parts.js";

/**
 * Names by size, each on a bar.
 * @param {string} title
 * @param {{name: string, size: number, text: string}[]} items
 */
export function ranking(title, items) {
  const most = Math.max(...items.map((item) => item.size), 1);
  return html`<section class="panel ranking">
    <header><h2>${title}</h2></header>
    ${
      items.length === 0
        ? html`<p class="faint none">Nothing in this period</p>`
        : html`<ul>
            ${items.map(
              (item) =>
                html`<li>
                  <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" class="mirror">
                    <rect width=${Math.max(1, (item.size / most) * 100)} height="1" rx="0" />
                  </svg>
                  <span class="truncate" dir="auto" title=${item.name}>${item.name}</span
                  ><bdi class="num">${item.text}</bdi>
                </li>`,
            )}
          </ul>`
    }
  </section>`;
}

/** @param {{name: string, value: number}[]} parts Passed, Review, Blocked */
export function split(parts) {
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  let at = 0;
  const tone = /** @type {Record<string, string>} */ ({ Passed: "passed", Review: "review", Blocked: "blocked" });
  const words = /** @type {Record<string, string>} */ ({ Review: "In review" });
  return html`<svg class="split mirror" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      ${
        total === 0
          ? svg`<rect class="none" width="100" height="1"/>`
          : parts.map((part) => {
              const start = at;
              const width = (part.value / total) * 100;
              at += width;
              return width > 0
                ? svg`<rect class=${tone[part.name] ?? ""} x=${start} width=${Math.max(0.5, width - 0.7)} height="1"/>`
                : nothing;
            })
      }
    </svg>
    <dl class="legend">
      ${parts.map(
        (part) =>
          html`<div>
            <dt><span class="swatch ${tone[part.name] ?? ""}"></span>${words[part.name] ?? part.name}</dt>
            <dd>${formatCount(part.value)}</dd>
          </div>`,
      )}
    </dl>`;
}
