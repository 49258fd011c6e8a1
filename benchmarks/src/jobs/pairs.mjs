// @ts-check
import { Worker } from 'node:worker_threads';
import { control, phases, sharedSeed } from '../lib/control.mjs';
import { main } from '../lib/jobs.mjs';
import { sleep, until, within } from '../lib/sleep.mjs';
import { max, min, sum } from '../lib/statistics.mjs';
import { summarizeWaits } from '../lib/wait-times.mjs';
import { xorshift } from '../lib/xorshift.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/** @typedef {import('../workers/pairs.mjs').WorkerResult} WorkerResult */

/**
 * @typedef {object} PairsSpecification
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {import('../subjects/subject.mjs').SubjectOptions} [options]
 * @property {number} workers
 * @property {number} seconds
 * @property {number} warmUpSeconds
 * @property {boolean} [waits] whether to time each wait
 * @property {number} [readOnly] instead of the shared step: so many steps that leave the shared state as it is
 */

/**
 * What one run found.
 * @typedef {object} PairsResult
 * @property {number} seconds
 * @property {number} pairs
 * @property {number} pairsPerSecond
 * @property {number} fairness the slowest worker's pairs over the fastest one's
 * @property {number | null} wakeUps returns from a park
 * @property {number} cpuSeconds processor time of the whole process in the counted time
 * @property {number} maxRssKiB
 * @property {boolean} excluded whether no two workers were ever inside together
 * @property {number[]} counts
 * @property {{ worstMillis: number, p999Millis: number } | null} waits
 */

/**
 * @param {PairsSpecification} specification
 * @param {unknown} handle
 * @param {SharedArrayBuffer} buffer
 */
function startWorkers({ subject, workers, readOnly, waits }, handle, buffer) {
  return Array.from({ length: workers }, (_, i) => {
    const worker = new Worker(new URL('../workers/pairs.mjs', import.meta.url));
    worker.postMessage({ subject, handle, buffer, seed: i + 2, readOnly, waits });
    return new Promise((/** @type {(result: WorkerResult) => void} */ resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`a worker ended early with code ${code}`)));
    });
  });
}

/**
 * Replays the shared generator: its state is right only when no two workers were ever inside together.
 * @param {Int32Array} words
 * @param {number} steps
 */
function excluded(words, steps) {
  let state = sharedSeed;
  for (let i = 0; i < steps; i++) state = xorshift(state);
  return state === words[control.sharedState];
}

/**
 * For all workers to start, and for all of them to end: less than the limit of the whole run, which says nothing about
 * where it stood.
 */
const MIN_LIMIT_MS = 12_000;
const LIMIT_MS_EACH = 200;

/** @param {PairsSpecification} specification @returns {Promise<PairsResult>} */
async function measure(specification) {
  const { subject, options = {}, workers, seconds, warmUpSeconds } = specification;
  const buffer = new SharedArrayBuffer(control.bytes);
  const words = new Int32Array(buffer);
  words[control.sharedState] = sharedSeed;
  const finished = Promise.all(startWorkers(specification, (await loadSubject(subject)).create(options), buffer));
  const ready = until(() => Atomics.load(words, control.ready) === workers);
  const limit = MIN_LIMIT_MS + workers * LIMIT_MS_EACH;
  await within(
    Promise.race([finished, ready]),
    limit,
    () => `${Atomics.load(words, control.ready)} of ${workers} workers started`,
  );

  Atomics.store(words, control.phase, phases.warmUp);
  Atomics.notify(words, control.phase);
  await sleep(warmUpSeconds * 1000);
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  Atomics.store(words, control.phase, phases.count);
  await Promise.race([finished, sleep(seconds * 1000)]);
  Atomics.store(words, control.phase, phases.stop);
  const elapsed = (performance.now() - start) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const results = await within(finished, limit, () => `all ${workers} workers started, and not all of them ended`);
  const steps = specification.readOnly === undefined ? sum(results.map(({ passes }) => passes)) : 0;
  const waits = specification.waits === true ? summarizeWaits(results.map((result) => result.waits)) : null;
  return { ...summarize(results, excluded(words, steps), elapsed, (cpu.user + cpu.system) / 1e6), waits };
}

/**
 * @param {WorkerResult[]} results
 * @param {boolean} excluded
 * @param {number} seconds
 * @param {number} cpuSeconds
 * @returns {Omit<PairsResult, 'waits'>}
 */
function summarize(results, excluded, seconds, cpuSeconds) {
  const counts = results.map(({ counted }) => counted);
  const pairs = sum(counts);
  const wakeUps = results.map((result) => result.wakeUps).filter((count) => count !== null);
  return {
    seconds,
    pairs,
    pairsPerSecond: pairs / seconds,
    fairness: min(counts) / max(counts),
    wakeUps: wakeUps.length === results.length ? sum(wakeUps) : null,
    cpuSeconds,
    maxRssKiB: process.resourceUsage().maxRSS,
    excluded,
    counts,
  };
}

await main(measure);
