// @ts-check
import { MeasurementError, runJob } from './jobs.mjs';
import { deviationOf, max, median, min } from './statistics.mjs';

/** @typedef {import('../jobs/mutexbench.mjs').MutexbenchSpecification} MutexbenchSpecification */
/** @typedef {import('../jobs/mutexbench.mjs').MutexbenchResult} MutexbenchResult */
/** @typedef {Omit<MutexbenchSpecification, 'subject' | 'options'>} MutexbenchPoint */

/**
 * One point in a fresh process, refused when two workers were ever inside together.
 * @param {MutexbenchSpecification} specification
 * @param {{ runtime?: import('./runtimes.mjs').Runtime | undefined, flags?: readonly string[] | undefined }} options
 */
export async function mutexbench(specification, options) {
  const timeoutMs = patienceFor(specification);
  return checked(
    /** @type {MutexbenchResult} */ (await runJob('mutexbench', specification, { ...options, timeoutMs })),
  );
}

/** How long a point may take in all, in ms. @param {MutexbenchPoint} point */
export function patienceFor({ workers, seconds, warmUpSeconds, patienceSeconds, recordSeconds }) {
  return (seconds + warmUpSeconds + patienceSeconds + recordSeconds) * 1000 + workers * 1000 + 30_000;
}

/** @param {MutexbenchResult} result */
export function checked(result) {
  if (!result.excluded) throw new MeasurementError('two workers were inside the critical section together');
  return result;
}

/**
 * The medians of a point's repetitions, and how far they spread. The worst bypass is the worst of all.
 * @param {readonly MutexbenchResult[]} values
 */
export function summarize(values) {
  const rates = values.map(({ operationsPerSecond }) => operationsPerSecond);
  const fairness = values.map((value) => value.fairness);
  const records = values.flatMap(({ bypass }) => (bypass === null ? [] : [bypass]));
  return {
    operationsPerSecond: median(rates),
    slowest: min(rates),
    fastest: max(rates),
    fairness: median(fairness),
    fairnessWorst: min(fairness),
    relativeDeviation: median(values.map(({ counts }) => deviationOf(counts))),
    bypassWorst: records.length > 0 ? max(records.map(({ worst }) => worst)) : null,
    bypassP999: records.length > 0 ? median(records.map(({ p999 }) => p999)) : null,
    cpuMicrosPerOperation: median(values.map(({ cpuSeconds, operations }) => (cpuSeconds * 1e6) / operations)),
    sleepsPerOperation: median(values.map(({ sleeps, operations }) => sleeps / operations)),
    peakMiB: max(values.map(({ maxRssKiB }) => maxRssKiB)) / 1024,
  };
}
