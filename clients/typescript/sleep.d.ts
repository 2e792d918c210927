/**
 * Resolves after this time, or as soon as the signal is aborted.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function sleepUntil(milliseconds: number, signal: AbortSignal): Promise<void>;
