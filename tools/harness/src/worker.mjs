// @ts-check
// The main module of every worker of a group. It loads the job's module, runs one of its functions, and posts the
// outcome.
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Random } from './random.mjs';

/**
 * @typedef {object} JobContext
 * @property {number} index number of this worker in its group, from 0
 * @property {Random} random seeded by the group's seed and the index
 * @property {(word: string) => void} say tells the group the progress of the job, which the watchdog prints
 * @property {(ms: number) => Promise<void>} pause lets the event loop run
 */
/** @typedef {{ module: string, job: string, data: unknown, index: number, seed: number }} Order */
/**
 * @typedef {{ kind: 'said', word: string } | { kind: 'done', result: unknown } | { kind: 'failed', text: string }}
 *   Message
 */

/** @param {Message} message */
const post = (message) => parentPort?.postMessage(message);

void main();

async function main() {
  const { module, job, data, index, seed } = /** @type {Order} */ (workerData);
  try {
    const jobs = /** @type {Record<string, ((data: unknown, context: JobContext) => unknown) | undefined>} */ (
      await import(module)
    );
    const run = jobs[job];
    if (run === undefined) throw new TypeError(`${module} has no job ${job}, only ${Object.keys(jobs).join(', ')}`);
    const result = await run(data, {
      index,
      random: new Random(seed + Math.imul(index + 1, 0x9e3779b1)),
      say: (word) => post({ kind: 'said', word }),
      pause: (ms) => setTimeout(ms),
    });
    post({ kind: 'done', result });
  } catch (failure) {
    post({ kind: 'failed', text: failure instanceof Error ? (failure.stack ?? failure.message) : String(failure) });
  }
}
