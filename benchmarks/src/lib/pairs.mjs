// @ts-check
import { MeasurementError, runJob } from './jobs.mjs';
import { max, median, min } from './statistics.mjs';

/** @typedef {import('../jobs/pairs.mjs').PairsSpecification} PairsSpecification */
/** @typedef {import('../jobs/pairs.mjs').PairsResult} PairsResult */

/**
 * One point in a fresh process, refused when two workers were ever inside together.
 * @param {PairsSpecification} specification
 * @param {{ runtime?: import('./runtimes.mjs').Runtime | undefined, flags?: readonly string[] | undefined }} [options]
 * @returns {Promise<PairsResult>}
 */
export async function pairs(specification, options = {}) {
  const { workers, seconds, warmUpSeconds } = specification;
  const timeoutMs = (seconds + warmUpSeconds) * 1000 + workers * 500 + 30_000;
  return checked(/** @type {PairsResult} */ (await runJob('pairs', specification, { ...options, timeoutMs })));
}

/** @param {PairsResult} result */
export function checked(result) {
  if (!result.excluded) throw new MeasurementError('two workers were inside the critical section together');
  return result;
}

/**
 * The medians of a point's repetitions, and how far they spread: with more threads than cores the scheduler decides
 * between very different regimes, so a median alone would hide the truth.
 * @param {readonly PairsResult[]} values
 */
export function summarize(values) {
  const rates = values.map(({ pairsPerSecond }) => pairsPerSecond);
  const wakeUpsPerPair = values.flatMap(({ wakeUps, pairs }) => (wakeUps === null ? [] : [wakeUps / pairs]));
  return {
    pairsPerSecond: median(rates),
    slowest: min(rates),
    fastest: max(rates),
    fairness: median(values.map(({ fairness }) => fairness)),
    fairnessWorst: min(values.map(({ fairness }) => fairness)),
    wakeUpsPerPair: wakeUpsPerPair.length > 0 ? median(wakeUpsPerPair) : null,
    cpuMicrosPerPair: median(values.map(({ cpuSeconds, pairs }) => (cpuSeconds * 1e6) / pairs)),
    peakMiB: max(values.map(({ maxRssKiB }) => maxRssKiB)) / 1024,
  };
}
