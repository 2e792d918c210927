// The scale of a chart's values: round steps, and no more room above the highest column than they need.

/** What a step may be, times a power of ten. */
const ROUND = [1, 2, 2.5, 5, 10];
/** About how many there are, the best first. */
const STEPS = [4, 3, 5];

/**
 * The lowest top that a few round steps reach.
 * @param {number} highest
 * @param {number} smallest no step is a part of it: orders are whole ones
 * @returns {{top: number, step: number}}
 */
export function axis(highest, smallest = 1) {
  if (!(highest > 0)) return { top: smallest, step: smallest };
  const scales = STEPS.map((steps) => {
    const step = roundStep(highest / steps, smallest);
    return { step, top: step * Math.ceil(highest / step) };
  });
  return scales.reduce((best, scale) => (scale.top < best.top ? scale : best));
}

/** The smallest round step that is no less. @param {number} least @param {number} smallest */
function roundStep(least, smallest) {
  const power = 10 ** Math.floor(Math.log10(least));
  const steps = ROUND.map((factor) => factor * power);
  return steps.find((step) => step >= least && step % smallest === 0) ?? Math.max(smallest, 10 * power);
}
