// @ts-check
import { bar } from '../lib/report.mjs';
import { median, pairedRatios } from '../lib/statistics.mjs';

/** @typedef {import('../jobs/mutexbench.mjs').MutexbenchResult} MutexbenchResult */
/** @typedef {ReadonlyMap<string, import('../lib/repeat.mjs').Outcome<MutexbenchResult>>} Outcomes */

const fairnessBar = { atLeast: 0.9 };
const throughputBar = { atLeast: 0.5 };
const from = 4;

/**
 * What is expected of one subject at one number of workers, with nothing outside of the lock.
 * @param {string} key
 * @param {number} workers
 * @param {Outcomes} outcomes of all subjects at that point
 */
export function barsOf(key, workers, outcomes) {
  const values = outcomes.get(key)?.values ?? [];
  if (workers < from || values.length === 0) return [];
  const fairness = median(values.map((value) => value.fairness));
  if (key === 'lifo/10') return [bar(`fairness of LifoLock, B = 10, at ${workers} workers`, fairness, fairnessBar)];
  if (key !== 'tts/adaptive') return [];
  const fair = bar(`fairness of TtsLock, adaptive, at ${workers} workers`, fairness, fairnessBar);
  const ratios = pairedRatios(ratesOf(values), ratesOf(outcomes.get('tts')?.values ?? []));
  if (ratios.length === 0) return [fair];
  return [
    fair,
    bar(`throughput of TtsLock, adaptive, over bare, at ${workers} workers`, median(ratios), throughputBar),
  ];
}

/** @param {readonly MutexbenchResult[]} values */
const ratesOf = (values) => values.map(({ operationsPerSecond }) => operationsPerSecond);
