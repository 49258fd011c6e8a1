// @ts-check
// Threads that make thousands of async calls each on one mutex, all at once: how fast the tasks run, how often the
// mutex goes to another thread, and how long one thread keeps it.
import { Mutex } from '@sluice/mutex';
import { Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';

/** @typedef {{ order: 'turns' | 'fifo', alternating: boolean, threads: number, calls: number, rounds: number }} AsyncTurnsSpecification */
/** @typedef {{ tasksPerMs: number, switches: number, longestTurnMillis: number }} AsyncTurnsResult */

/** Words of `control`, as in workers/async-turns.mjs. */
const [READY, GO, LAST, SWITCHES, NEXT] = /** @type {const} */ ([0, 1, 2, 3, 4]);

await main(measure);

/** @param {AsyncTurnsSpecification} specification @returns {Promise<AsyncTurnsResult>} */
async function measure({ order, alternating, threads: count, calls, rounds }) {
  const mutex = Mutex.create({ order });
  const control = new Int32Array(new SharedArrayBuffer(20));
  const threads = Array.from(
    { length: count },
    (_, index) =>
      new Worker(new URL('../workers/async-turns.mjs', import.meta.url), {
        workerData: { handle: mutex.handle, calls, rounds, threads: count, mine: index + 1, alternating, control },
      }),
  );
  const ends = threads.map(
    (thread) =>
      new Promise((/** @type {(last: { longest: number, ended: number }) => void} */ resolve, reject) =>
        thread.once('message', resolve).once('error', reject),
      ),
  );
  let began = 0;
  for (let round = 0; round < rounds; round++) {
    await untilReady(control, count * (2 * round + 1));
    control[LAST] = 0;
    control[SWITCHES] = 0;
    control[NEXT] = 0;
    // All calls wait before the first task runs.
    mutex.lock();
    Atomics.store(control, GO, round + 1);
    Atomics.notify(control, GO);
    await untilReady(control, count * (2 * round + 2));
    began = performance.timeOrigin + performance.now();
    mutex.unlock();
  }
  const results = await Promise.all(ends);
  const took = Math.max(...results.map(({ ended }) => ended)) - began;
  return {
    tasksPerMs: (count * calls) / took,
    switches: /** @type {number} */ (control[SWITCHES]),
    longestTurnMillis: Math.max(...results.map(({ longest }) => longest)),
  };
}

/** @param {Int32Array} control @param {number} count */
async function untilReady(control, count) {
  while (Atomics.load(control, READY) < count) await new Promise((resolve) => setTimeout(resolve, 2));
}
