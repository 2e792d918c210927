// Shares of a whole: names by size, and what fraud checks came to. Drawn with SVG: the policy of the page allows no inline styles.

import { html, nothing, svg } from "/kit/vendor/lit.js";
import { formatCount } from "../shell/parts.js";

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

/** What fraud checks came to. @typedef {{name: string, value: number}} Part Passed, Review, Blocked */

/** @type {Record<string, string>} */
const TONES = { Passed: "passed", Review: "review", Blocked: "blocked" };
/** @type {Record<string, string>} */
const WORDS = { Review: "In review" };

/** @param {string} name of a part */
export const swatch = (name) => html`<span class="swatch ${TONES[name] ?? ""}"></span>`;

/** A bar and what it means. @param {readonly Part[]} parts */
export function split(parts) {
  return html`${splitBar(parts)}
    <dl class="legend">
      ${parts.map(
        ({ name, value }) =>
          html`<div>
            <dt>${swatch(name)}${WORDS[name] ?? name}</dt>
            <dd>${formatCount(value)}</dd>
          </div>`,
      )}
    </dl>`;
}

/** @param {readonly Part[]} parts */
export function splitBar(parts) {
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  let at = 0;
  const shares = parts.map(({ name, value }) => {
    const start = at;
    const width = (value / total) * 100;
    at += width;
    return width > 0
      ? svg`<rect class=${TONES[name] ?? ""} x=${start} width=${Math.max(0.5, width - 0.25)} height="1"/>`
      : nothing;
  });
  return html`<svg class="split mirror" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    ${total === 0 ? svg`<rect class="none" width="100" height="1"/>` : shares}
  </svg>`;
}
