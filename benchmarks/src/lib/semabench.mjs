// @ts-check
import { MeasurementError, runJob } from './jobs.mjs';
import { deviationOf, max, median, min } from './statistics.mjs';

/** @typedef {import('../jobs/semabench.mjs').SemabenchSpecification} SemabenchSpecification */
/** @typedef {import('../jobs/semabench.mjs').SemabenchResult} SemabenchResult */
/** @typedef {Omit<SemabenchSpecification, 'subject' | 'options'>} SemabenchPoint */

/**
 * One point in a fresh process, refused when two workers were ever inside together.
 * @param {SemabenchSpecification} specification
 */
export async function semabench(specification) {
  const timeoutMs = patienceFor(specification);
  return checked(/** @type {SemabenchResult} */ (await runJob('semabench', specification, { timeoutMs })));
}

/**
 * How long a point may take in all, in ms.
 * @param {Pick<SemabenchPoint, 'workers' | 'seconds' | 'warmUpSeconds' | 'patienceSeconds'>} point
 */
export function patienceFor({ workers, seconds, warmUpSeconds, patienceSeconds }) {
  return (seconds + warmUpSeconds + 3 * patienceSeconds) * 1000 + workers * 1000 + 30_000;
}

/** @param {SemabenchResult} result */
export function checked(result) {
  if (!result.excluded) throw new MeasurementError('two workers were inside the critical section together');
  return result;
}

/**
 * The medians of a point's repetitions, and how far they spread. What is counted for each hand-over is null where the
 * semaphore does not report, or if no worker got through.
 * @param {readonly SemabenchResult[]} values
 */
export function summarize(values) {
  const rates = values.map(({ handOversPerSecond }) => handOversPerSecond);
  const fairness = values.map((value) => value.fairness);
  /** @param {(value: SemabenchResult) => number | null} what */
  const each = (what) => {
    const shares = values.flatMap((value) => {
      const count = what(value);
      return count === null || value.handOvers === 0 ? [] : [count / value.handOvers];
    });
    return shares.length > 0 ? median(shares) : null;
  };
  return {
    handOversPerSecond: median(rates),
    slowest: min(rates),
    fastest: max(rates),
    fairness: median(fairness),
    fairnessWorst: min(fairness),
    relativeDeviation: each(({ counts, handOvers }) => deviationOf(counts) * handOvers),
    wakeUpsEach: each(({ wakeUps }) => wakeUps),
    futileEach: each(({ futile }) => futile),
    notifiesEach: each(({ notifies }) => notifies),
    vainEach: each(({ vain }) => vain),
    worstWaitMillis: max(values.map(({ worstWaitMillis }) => worstWaitMillis)),
    allThrough: values.every(({ allThrough }) => allThrough),
    cpuMicrosEach: each(({ cpuSeconds }) => cpuSeconds * 1e6),
    peakMiB: max(values.map(({ maxRssKiB }) => maxRssKiB)) / 1024,
  };
}
