// Parts that pages share: heads, states, figures, small charts.

import { html, nothing, svg } from "/kit/vendor/lit.js";
import { explain, Problem } from "./api.js";
import { icon } from "./icons.js";
import { isClosed } from "./store.js";

/**
 * @param {string} title
 * @param {unknown} [note]
 * @param {unknown} [actions]
 */
export function head(title, note = nothing, actions = nothing) {
  return html`<header class="page-head">
    <div>
      <h1 tabindex="-1">${title}</h1>
      ${note === nothing ? nothing : html`<p class="muted">${note}</p>`}
    </div>
    <div class="actions">${actions}</div>
  </header>`;
}

/**
 * The states of a resource: a skeleton, what went wrong, or the data, dimmed while newer data is loaded.
 * @template T
 * @param {import("./page.js").Resource<T>} resource
 * @param {{what: string, rows?: number, skeleton?: unknown, ready: (data: T) => unknown}} view `what` could not be loaded
 */
export function states(resource, { what, rows = 5, skeleton, ready }) {
  const { data, problem, loading, slow } = resource;
  const note = html`<span class="sr" role="status">${slow ? `Loading. ${what} take longer than usual.` : ""}</span>`;
  if (data !== undefined) {
    return html`${problem && !loading ? failure(problem, what, () => resource.load()) : nothing}
      <div class=${loading ? "stale" : "fresh"} aria-busy=${loading ? "true" : "false"}>${ready(data)}</div>
      ${note}`;
  }
  if (problem && !loading) return failure(problem, what, () => resource.load());
  return html`<div aria-busy="true">${skeleton ?? bars(rows)}</div>
    ${note}`;
}

/** @param {number} rows */
export function bars(rows) {
  return html`<div class="bars" aria-hidden="true">
    ${Array.from({ length: rows }, () => html`<div class="skeleton"></div>`)}
  </div>`;
}

/**
 * @param {unknown} problem
 * @param {string} what
 * @param {() => void} retry
 */
export function failure(problem, what, retry) {
  if (problem instanceof Problem && problem.code === "PASSKEY_REQUIRED") return passkeyNeeded(retry);
  const forbidden = problem instanceof Problem && problem.status === 403;
  return html`<div class="notice ${forbidden ? "" : "bad"}" role="alert">
    ${icon("warn")}
    <div>
      <b>${forbidden ? "You may not see this." : `${what} could not be loaded. Nothing was changed.`}</b>
      <p>${explain(problem)}</p>
      ${forbidden ? nothing : html`<p>${tryAgain(problem, retry)}</p>`}
    </div>
  </div>`;
}

/** @param {() => void} retry */
function passkeyNeeded(retry) {
  import("./passkey-needed.js");
  return html`<passkey-needed @retry=${retry}></passkey-needed>`;
}

/** A button that waits as long as the API asks for. @param {unknown} problem @param {() => void} retry */
function tryAgain(problem, retry) {
  import("./try-again.js");
  const seconds = problem instanceof Problem ? (problem.retryAfter ?? 0) : 0;
  return html`<try-again seconds=${seconds} @retry=${retry}></try-again>`;
}

/** @param {string} title @param {unknown} [text] @param {unknown} [action] */
export function empty(title, text = nothing, action = nothing) {
  return html`<div class="empty"><b>${title}</b>${text === nothing ? nothing : html`<p>${text}</p>`}${action}</div>`;
}

/** Where nothing has happened so far. A closed business is promised nothing. @param {string} what @param {string} promise @param {unknown} [action] */
export function nothingYet(what, promise, action = nothing) {
  return isClosed() ? empty(`No ${what}`) : empty(`No ${what} yet`, promise, action);
}

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const count = new Intl.NumberFormat();

/** @param {number} value */
export const formatCount = (value) => count.format(value);
/** @param {number} value hundredths: 12.5 is 12.5 % */
export const formatPercent = (value) => percent.format(value / 100);

/**
 * A change against the period before. The colour says whether it is welcome.
 * @param {number} value
 * @param {{points?: boolean, welcome?: "more" | "less"}} [options]
 */
export function change(value, { points = false, welcome = "more" } = {}) {
  if (value === 0) return html`<span class="change">No change</span>`;
  const good = value > 0 === (welcome === "more");
  const size = points ? `${oneDecimal.format(Math.abs(value))} pp` : percent.format(Math.abs(value) / 100);
  return html`<span class="change ${good ? "ok" : "bad"}"
    >${icon(value > 0 ? "up" : "down")}<span class="sr">${value > 0 ? "Up" : "Down"} </span><bdi>${size}</bdi></span
  >`;
}

/**
 * A figure, its change and its shape.
 * @param {{label: unknown, value: unknown, change?: unknown, shape?: number[]}} figure
 */
export function stat({ label, value, change: delta = nothing, shape }) {
  return html`<div class="stat">
    <dt>${label}</dt>
    <dd><bdi class="figure">${value}</bdi>${delta}</dd>
    ${shape && shape.length > 1 ? spark(shape) : nothing}
  </div>`;
}

/** @param {number[]} values */
function spark(values) {
  const top = Math.max(...values, 1);
  const points = values.map(
    (value, i) => `${((i / (values.length - 1)) * 100).toFixed(1)},${(30 - (value / top) * 28).toFixed(1)}`,
  );
  return html`<svg class="spark mirror" viewBox="0 0 100 32" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<path class="area" d=${`M0,32 L${points.join(" L")} L100,32Z`}/><path class="line" d=${`M${points.join(" L")}`}/>`}
  </svg>`;
}

/** @param {number} number @param {"tall" | "short"} [size] short: figures without a change */
export function statSkeletons(number, size = "tall") {
  return html`<dl class="stats panel" aria-hidden="true">
    ${Array.from(
      { length: number },
      () =>
        html`<div class="stat">
          <dt><div class="skeleton narrow"></div></dt>
          <dd><div class="skeleton ${size}"></div></dd>
        </div>`,
    )}
  </dl>`;
}

/**
 * Choice of one of a few.
 * @template {string} T
 * @param {string} label
 * @param {readonly (readonly [T, string])[]} options
 * @param {T} chosen
 * @param {(option: T) => void} choose
 */
export function segmented(label, options, chosen, choose) {
  /** @param {readonly [T, string]} option */
  const button = ([value, word]) =>
    html`<button type="button" aria-pressed=${value === chosen ? "true" : "false"} @click=${() => choose(value)}>
      ${word}
    </button>`;
  return html`<div class="segmented" role="group" aria-label=${label}>${options.map(button)}</div>`;
}

/** An action of a row, whose label names the row. @param {{word: string, label: string, act: () => void, busy?: boolean}} action */
export function rowButton({ word, label, act, busy = false }) {
  return html`<button
    class="button"
    type="button"
    aria-label=${label}
    aria-busy=${busy ? "true" : "false"}
    @click=${act}
  >
    ${word}
  </button>`;
}

/** @type {readonly (readonly [string, string])[]} */
export const PERIODS = [
  ["7", "7 days"],
  ["14", "14 days"],
  ["30", "30 days"],
  ["90", "90 days"],
];

/** @param {URLSearchParams} query @returns {7 | 14 | 30 | 90} */
export function periodOf(query) {
  const days = Number(query.get("days"));
  return days === 7 || days === 14 || days === 90 ? days : 30;
}
