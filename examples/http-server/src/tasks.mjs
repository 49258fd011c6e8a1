// The tasks that the workers run.
import { workerData } from 'node:worker_threads';

/** @type {{ gone: Int32Array }} */
const { gone } = workerData;

/** How often a task that sleeps looks whether it is aborted. */
const LOOK_MS = 10;

/**
 * Counts the primes below the number. Stops on an abort: the client has gone away, or the time is up.
 * @param {number} below
 * @param {import('@sluice/worker-pool').TaskContext} context
 */
export function countPrimes(below, context) {
  let count = 0;
  for (let n = 2; n < below; n++) {
    if (n % 1024 === 0 && context.aborted) return count; // the result is discarded
    let divisor = 2;
    while (divisor * divisor <= n && n % divisor > 0) divisor += 1;
    if (divisor * divisor > n) count += 1;
  }
  return count;
}

/**
 * Blocks its worker for `ms` ms, or until it is aborted.
 * @param {number} ms
 * @param {import('@sluice/worker-pool').TaskContext} context
 */
export function block(ms, context) {
  const end = performance.now() + ms;
  while (performance.now() < end && !context.aborted);
  return ms;
}

/**
 * Blocks its worker until the word is greater than `before`, or until it is aborted.
 * @param {number} before
 * @param {import('@sluice/worker-pool').TaskContext} context
 */
export function hold(before, context) {
  while (Atomics.load(gone, 0) <= before && !context.aborted) Atomics.wait(gone, 0, before, LOOK_MS);
  return before;
}

/** Ends its worker, as a bug in native code would. */
export function die() {
  process.exit(1);
}
