// @ts-check
// The time of a round trip between the main thread and a worker that only wake each other.
import { Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';
import { ANSWER, CALL, WORDS } from '../lib/round-trip.mjs';
import { quantileSorted } from '../lib/statistics.mjs';

/** @typedef {{ ways: import('../lib/round-trip.mjs').Ways, trips: number }} RoundTripSpecification */
/** @typedef {{ p50Micros: number, p99Micros: number }} RoundTripResult */

await main(async (/** @type {RoundTripSpecification} */ { ways, trips }) => {
  const words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('../workers/round-trip.mjs', import.meta.url), { workerData: { ways, words } });
  /** @type {() => void} */
  let hear = () => undefined;
  /** @type {() => Promise<void>} */
  const heard = () =>
    new Promise((resolve) => {
      hear = resolve;
    });
  worker.on('message', () => hear());
  await heard();
  const times = [];
  for (let trip = 1; trip <= 1.5 * trips; trip++) {
    const began = performance.now();
    const answered = ways.back === 'port' ? heard() : Atomics.waitAsync(words, ANSWER, trip - 1).value;
    if (ways.there === 'port') worker.postMessage(0);
    else {
      Atomics.store(words, CALL, trip);
      Atomics.notify(words, CALL);
    }
    await answered;
    // The first third warms up.
    if (trip > trips / 2) times.push((performance.now() - began) * 1000);
  }
  await worker.terminate();
  times.sort((a, b) => a - b);
  return { p50Micros: quantileSorted(times, 0.5), p99Micros: quantileSorted(times, 0.99) };
});
