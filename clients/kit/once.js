// A press acts once.

/** Milliseconds that may be between the two clicks of a double one. */
export const DOUBLE_CLICK = 600;

/**
 * The action, one at a time: a call while an earlier one is at work does nothing. The guard is set in the tick of the call. Whatever moves,
 * creates or changes something goes through this.
 *
 * @template {unknown[]} A
 * @template R
 * @param {(...args: A) => R | Promise<R>} act
 * @param {{rest?: number}} [options] milliseconds from the press until the next one counts, for a button that is another one once it has
 *   acted
 * @returns {(...args: A) => Promise<R | undefined>}
 */
export function once(act, { rest = 0 } = {}) {
  let isBusy = false;
  const free = () => void (isBusy = false);
  return async (...args) => {
    if (isBusy) return undefined;
    isBusy = true;
    const until = performance.now() + rest;
    try {
      return await act(...args);
    } finally {
      if (rest === 0) free();
      else setTimeout(free, until - performance.now());
    }
  };
}
