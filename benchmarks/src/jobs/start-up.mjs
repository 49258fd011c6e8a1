// @ts-check
// CPU time of workers one after the other, from the making of each to its end, of all threads of this process.
import { Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';
import { median } from '../lib/statistics.mjs';

/** How far a worker goes: it imports the core, opens a semaphore, and acquires and releases a permit. @typedef {'import' | 'open' | 'pair'} Step */

/**
 * @typedef {object} StartUpSpecification
 * @property {string | null} core the URL of what a worker imports, as a rule of a core; null: the worker does nothing
 * @property {Step} step
 * @property {string} [maker] the URL of the core that makes the semaphore; by default the same
 * @property {boolean} withModule whether the handle brings the compiled kernel along
 * @property {string | undefined} [compileCache] the folder of Node's compile cache; by default the worker uses none
 * @property {number} workers
 */

/** @typedef {{ cpuMillis: number, wallMillis: number }} StartUpResult medians of one worker */

/** The first workers also warm up the thread that makes them, and fill the compile cache. */
const NOT_COUNTED = 2;

await main(
  async (/** @type {StartUpSpecification} */ { core, step, maker = core ?? '', withModule, compileCache, workers }) => {
    const file = new URL(`../workers/${core === null ? 'start-up-empty' : 'start-up'}.mjs`, import.meta.url);
    const workerData =
      core === null ? {} : { core, handle: await semaphoreHandle(maker, withModule), step, compileCache };
    const samples = [];
    for (let n = 0; n < workers + NOT_COUNTED; n++) {
      const [before, began] = [process.cpuUsage(), performance.now()];
      await new Promise(
        (resolve, reject) => void new Worker(file, { workerData }).once('exit', resolve).once('error', reject),
      );
      const { user, system } = process.cpuUsage(before);
      if (n >= NOT_COUNTED) samples.push({ cpuMillis: (user + system) / 1000, wallMillis: performance.now() - began });
    }
    return { cpuMillis: median(samples.map((s) => s.cpuMillis)), wallMillis: median(samples.map((s) => s.wallMillis)) };
  },
);

/** @param {string} core @param {boolean} withModule */
async function semaphoreHandle(core, withModule) {
  const { Semaphore } = /** @type {typeof import('@sluice/core')} */ (await import(core));
  const { handle } = Semaphore.create(1);
  return withModule ? handle : { ...handle, modules: undefined };
}
