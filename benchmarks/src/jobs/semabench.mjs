// @ts-check
import { Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';
import { generatorWords, seedGenerator, stepGenerator } from '../lib/mt19937.mjs';
import { sharedSeed } from '../lib/mutexbench-control.mjs';
import {
  control,
  createBuffer,
  phases,
  readWorkers,
  viewsOf,
  WARM_PASSES,
  worstWaitMillis,
} from '../lib/semabench-control.mjs';
import { sleep, until } from '../lib/sleep.mjs';
import { max, min, sum } from '../lib/statistics.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/** @typedef {'sluice' | 'member'} SemaphoreSubject */

/**
 * @typedef {object} SemabenchSpecification
 * @property {SemaphoreSubject} subject
 * @property {import('../subjects/subject.mjs').SubjectOptions} [options]
 * @property {number} workers
 * @property {boolean} mixed whether every other worker waits with `acquireAsync`
 * @property {number} seconds
 * @property {number} warmUpSeconds
 * @property {number} patienceSeconds for the slowest worker to be warm, before the counted time begins anyway
 */

/**
 * What one run found, here and in the C++ program alike; null: it does not tell.
 * @typedef {object} SemabenchResult
 * @property {number} seconds
 * @property {number[]} counts the hand-overs of each worker
 * @property {number} handOvers all passes of the counted time
 * @property {number} handOversPerSecond
 * @property {number} fairness the slowest worker's passes over the fastest one's
 * @property {boolean} allThrough whether every worker had been through when the counted time began
 * @property {number | null} wakeUps returns from a sleep
 * @property {number | null} futile of those after which the same acquire went to sleep again
 * @property {number | null} notifies calls that wake
 * @property {number | null} vain of those that found no sleeper
 * @property {number} worstWaitMillis 0: no worker slept
 * @property {number} cpuSeconds processor time of the whole process in the counted time
 * @property {number} maxRssKiB
 * @property {boolean} excluded whether no two workers were ever inside together
 */

/** @typedef {ReturnType<typeof viewsOf>} Views */

/**
 * @param {SemabenchSpecification} specification
 * @param {unknown} handle
 * @param {SharedArrayBuffer} buffer
 */
function startWorkers({ subject, workers, mixed }, handle, buffer) {
  return Array.from({ length: workers }, (_, index) => {
    const worker = new Worker(new URL('../workers/semabench.mjs', import.meta.url));
    worker.postMessage({ subject, handle, buffer, workers, worker: index, awaits: mixed && index % 2 === 1 });
    return new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`a worker ended early with code ${code}`)));
    });
  });
}

/** @param {Views} views @param {number} phase */
function announce({ words }, phase) {
  Atomics.store(words, control.phase, phase);
  Atomics.notify(words, control.phase);
}

/**
 * Warms up the contended path of every worker, and counts.
 * @param {Views} views
 * @param {SemabenchSpecification} specification
 */
async function count(views, { workers, seconds, warmUpSeconds, patienceSeconds }) {
  const read = () => readWorkers(views.counts, workers);
  const practised = read();
  announce(views, phases.warmUp);
  await sleep(warmUpSeconds * 1000);
  const have = (/** @type {number} */ more) =>
    read().every(({ passes }, worker) => passes >= (practised[worker]?.passes ?? 0) + more);
  const giveUpAt = performance.now() + patienceSeconds * 1000;
  await until(() => have(WARM_PASSES) || performance.now() > giveUpAt);
  const allThrough = have(1);

  announce(views, phases.count);
  const cpuBefore = process.cpuUsage();
  const before = read();
  const start = performance.now();
  await sleep(seconds * 1000);
  const after = read();
  const elapsed = (performance.now() - start) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  announce(views, phases.pause);
  return { before, after, allThrough, seconds: elapsed, cpuSeconds: (cpu.user + cpu.system) / 1e6 };
}

/**
 * Replays the shared generator: its state is right only when no two workers were ever inside together.
 * @param {Int32Array} generator
 * @param {number} steps
 */
function excluded(generator, steps) {
  const replayed = new Int32Array(generatorWords);
  seedGenerator(replayed, sharedSeed);
  for (let i = 0; i < steps; i++) stepGenerator(replayed);
  return replayed.every((word, i) => word === generator[i]);
}

/** @param {SemabenchSpecification} specification @returns {Promise<SemabenchResult>} */
async function measure(specification) {
  const { subject, options = {}, workers } = specification;
  const buffer = createBuffer(workers);
  const views = viewsOf(buffer, workers);
  seedGenerator(views.generator, sharedSeed);
  const finished = Promise.all(startWorkers(specification, (await loadSubject(subject)).create(options), buffer));
  await Promise.race([finished, until(() => Atomics.load(views.words, control.ready) === workers)]);
  const tooEarly = finished.then(() => Promise.reject(new Error('the workers ended early')));
  const { before, after, ...counted } = await Promise.race([count(views, specification), tooEarly]);
  await finished;

  /** @param {keyof import('../lib/semabench-control.mjs').WorkerCounts} what */
  const each = (what) => after.map((counts, worker) => counts[what] - (before[worker]?.[what] ?? 0));
  const counts = each('passes');
  const handOvers = sum(counts);
  return {
    ...counted,
    counts,
    handOvers,
    handOversPerSecond: handOvers / counted.seconds,
    fairness: max(counts) === 0 ? 0 : min(counts) / max(counts),
    wakeUps: sum(each('wakeUps')),
    futile: sum(each('futile')),
    notifies: sum(each('notifies')),
    vain: sum(each('vain')),
    worstWaitMillis: worstWaitMillis(views.counts, workers),
    maxRssKiB: process.resourceUsage().maxRSS,
    excluded: excluded(views.generator, sum(readWorkers(views.counts, workers).map(({ passes }) => passes))),
  };
}

await main(measure);
