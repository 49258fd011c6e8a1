// @ts-check
import { mean, standardDeviation } from 'simple-statistics';

export { geometricMean, max, median, min, quantileSorted, sum } from 'simple-statistics';

/**
 * Two values are comparable only when they were taken one after the other, so a ratio is taken within each repetition
 * first and the median afterwards.
 * @param {readonly number[]} numerators
 * @param {readonly number[]} denominators
 * @returns {number[]}
 */
export function pairedRatios(numerators, denominators) {
  const length = Math.min(numerators.length, denominators.length);
  return Array.from({ length }, (_, i) => Number(numerators[i]) / Number(denominators[i]));
}

/**
 * The standard deviation over the mean: 0 when all are equal. NaN when all are 0.
 * @param {readonly number[]} values
 */
export function deviationOf(values) {
  return standardDeviation([...values]) / mean([...values]);
}
