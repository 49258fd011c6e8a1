// @ts-check
import { Worker } from 'node:worker_threads';
import { summarizeBypass } from '../lib/bypass.mjs';
import { main } from '../lib/jobs.mjs';
import { generatorWords, seedGenerator, stepGenerator } from '../lib/mt19937.mjs';
import {
  control,
  countOf,
  createBuffer,
  phases,
  sharedSeed,
  viewsOf,
  WARM_PASSES,
} from '../lib/mutexbench-control.mjs';
import { sleep, until } from '../lib/sleep.mjs';
import { max, min, sum } from '../lib/statistics.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/**
 * @typedef {object} MutexbenchSpecification
 * @property {import('../subjects/subject.mjs').SubjectName} subject
 * @property {import('../subjects/subject.mjs').SubjectOptions} [options]
 * @property {number} workers
 * @property {boolean} privateStep whether the non-critical section is a step of an own generator, else it is empty
 * @property {number} seconds
 * @property {number} warmUpSeconds
 * @property {number} patienceSeconds for the slowest worker to be warm, before the counted time begins anyway
 * @property {number} recordSeconds 0: no record
 */

/**
 * What one run found, here and in the C++ program alike.
 * @typedef {object} MutexbenchResult
 * @property {number} seconds
 * @property {number} operations all passes of the counted time
 * @property {number} operationsPerSecond
 * @property {number} fairness the slowest worker's passes over the fastest one's
 * @property {number[]} counts
 * @property {number} cpuSeconds processor time of the whole process in the counted time
 * @property {number} sleeps voluntary context switches of the whole process in the counted time
 * @property {number} maxRssKiB
 * @property {boolean} excluded whether no two workers were ever inside together
 * @property {import('../lib/bypass.mjs').Bypass | null} bypass
 */

/** @typedef {ReturnType<typeof viewsOf>} Views */

/**
 * @param {MutexbenchSpecification} specification
 * @param {unknown} handle
 * @param {SharedArrayBuffer} buffer
 */
function startWorkers({ subject, workers, privateStep }, handle, buffer) {
  return Array.from({ length: workers }, (_, index) => {
    const worker = new Worker(new URL('../workers/mutexbench.mjs', import.meta.url));
    worker.postMessage({ subject, handle, buffer, workers, worker: index, privateStep });
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

/** @param {Views} views @param {number} workers */
function readCounts({ counts }, workers) {
  return Array.from({ length: workers }, (_, worker) => Atomics.load(counts, countOf(worker)));
}

/**
 * What the workers did in the counted time. The main thread reads their counters, so that one that is never let in
 * counts 0.
 * @param {Views} views
 * @param {MutexbenchSpecification} specification
 */
async function count(views, { workers, seconds, warmUpSeconds, patienceSeconds }) {
  const practised = readCounts(views, workers);
  announce(views, phases.warmUp);
  await sleep(warmUpSeconds * 1000);
  const areWarm = () =>
    readCounts(views, workers).every((passes, worker) => passes >= (practised[worker] ?? 0) + WARM_PASSES);
  const giveUpAt = performance.now() + patienceSeconds * 1000;
  await until(() => areWarm() || performance.now() > giveUpAt);
  announce(views, phases.count);
  const cpuBefore = process.cpuUsage();
  const { voluntaryContextSwitches: slept } = process.resourceUsage();
  const before = readCounts(views, workers);
  const start = performance.now();
  await sleep(seconds * 1000);
  const counts = readCounts(views, workers).map((passes, worker) => passes - (before[worker] ?? 0));
  const elapsed = (performance.now() - start) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const sleeps = process.resourceUsage().voluntaryContextSwitches - slept;
  announce(views, phases.pause);
  return { counts, seconds: elapsed, cpuSeconds: (cpu.user + cpu.system) / 1e6, sleeps };
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

/** @param {MutexbenchSpecification} specification @returns {Promise<MutexbenchResult>} */
async function measure(specification) {
  const { subject, options = {}, workers, recordSeconds } = specification;
  const buffer = createBuffer(workers);
  const views = viewsOf(buffer, workers);
  seedGenerator(views.generator, sharedSeed);
  const finished = Promise.all(startWorkers(specification, (await loadSubject(subject)).create(options), buffer));
  /** @param {number} times */
  const gathered = (times) =>
    Promise.race([finished, until(() => Atomics.load(views.words, control.ready) === times * workers)]);

  await gathered(1);
  const tooEarly = finished.then(() => Promise.reject(new Error('the workers ended early')));
  const counted = await Promise.race([count(views, specification), tooEarly]);
  await gathered(2);
  if (recordSeconds > 0) {
    announce(views, phases.record);
    await Promise.race([finished, sleep(recordSeconds * 1000)]);
  }
  announce(views, phases.stop);
  await finished;

  const { counts, seconds } = counted;
  const operations = sum(counts);
  return {
    ...counted,
    operations,
    operationsPerSecond: operations / seconds,
    fairness: max(counts) === 0 ? 0 : min(counts) / max(counts),
    maxRssKiB: process.resourceUsage().maxRSS,
    excluded: excluded(views.generator, sum(readCounts(views, workers))),
    bypass: summarizeBypass(views.record.slice(0, views.words[control.admissions])),
  };
}

await main(measure);
