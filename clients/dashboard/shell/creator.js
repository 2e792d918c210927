// Calls that create something, once however often a press is repeated.

import { Problem } from "./api.js";
import { change } from "./change.js";

/** @typedef {{header: {"Idempotency-Key": string}}} KeyParams */

/** The first request with the key has arrived, and a repeat of it leads no further. */
const LOOK_AT_LIST = new Set(["OUTCOME_UNKNOWN", "IDEMPOTENCY_KEY_REUSED"]);

/**
 * Returns what sends a call that creates something, with a key for each press. Once an answer is missing, a further press is a repeat: it
 * has the same key, and creates nothing a second time. A refusal of the repeat does not say what became of the first one.
 */
export function creator() {
  let key = "";
  let isInDoubt = false;
  /** @template T @param {(params: KeyParams) => Promise<{data?: T, error?: unknown, response: Response}>} send */
  return async (send) => {
    key ||= crypto.randomUUID();
    try {
      const made = await change(() => send({ header: { "Idempotency-Key": key } }));
      key = "";
      isInDoubt = false;
      return made;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      isInDoubt ||= problem.isUnknown;
      const isOver = LOOK_AT_LIST.has(problem.code ?? "");
      problem.isUnknown = isInDoubt || isOver;
      if (isOver || !isInDoubt) key = "";
      if (isOver) isInDoubt = false;
      throw problem;
    }
  };
}
