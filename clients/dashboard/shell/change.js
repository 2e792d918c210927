// Calls that change something, and what is known about one without an answer.

import { call, Problem } from "./api.js";

/** Longer than an answer takes, even to a large file on a slow line. */
const PATIENCE_MS = 60_000;

/** @param {unknown} problem */
export const isUnknown = (problem) => problem instanceof Problem && problem.isUnknown;

/** What did not happen, or that this is not known. @param {unknown} problem @param {string} what */
export const certain = (problem, what) => (isUnknown(problem) ? "It is not known whether this was done." : what);

/**
 * Sends a change. Without an answer, or with one that is no refusal, it may have been carried out: the problem says so, and the page reads
 * again what it shows.
 * @template T
 * @param {() => Promise<{data?: T, error?: unknown, response: Response}>} send
 */
export async function change(send) {
  try {
    return await call(() => inTime(send()));
  } catch (problem) {
    if (!(problem instanceof Problem) || (problem.status > 0 && problem.status < 500)) throw problem;
    problem.isUnknown = true;
    const app = /** @type {{page?: import("./page.js").Page | null} | null} */ (document.querySelector("portal-app"));
    for (const one of app?.page?.resources ?? []) if (one.data !== undefined || one.problem) one.load();
    throw problem;
  }
}

/**
 * Sends a change that can be seen: without an answer, `isDone` looks whether it was carried out.
 * @param {Parameters<typeof change>[0]} send
 * @param {() => Promise<boolean>} isDone
 */
export async function carryOut(send, isDone) {
  try {
    await change(send);
  } catch (problem) {
    if (!isUnknown(problem) || !(await isDone().catch(() => false))) throw problem;
  }
}

/** @template T @param {Promise<T>} answer @returns {Promise<T>} */
function inTime(answer) {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  const end = new Promise((_, reject) => (timer = setTimeout(reject, PATIENCE_MS)));
  return /** @type {Promise<T>} */ (Promise.race([answer, end])).finally(() => clearTimeout(timer));
}

/** What was sent once and not answered stays unknown: a refusal of its repeat does not say what became of it. */
export class Doubt {
  /** The first problem of what is in doubt. @type {Map<string, unknown>} */
  #first = new Map();

  /** What to say of a further attempt; null: it was not sent. @template T @param {T} problem @param {string} [what] was sent */
  about(problem, what = "") {
    const first = this.#first.get(what);
    if (!first && isUnknown(problem)) this.#first.set(what, problem);
    else if (first && problem instanceof Problem) problem.isUnknown = true;
    return problem ?? first ?? null;
  }

  end(what = "") {
    this.#first.delete(what);
  }
}
