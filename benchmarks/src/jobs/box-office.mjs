// @ts-check
import { Arena } from '@sluice/core';
import { Worker } from 'node:worker_threads';
import { control, phases } from '../lib/control.mjs';
import { main } from '../lib/jobs.mjs';
import { until } from '../lib/sleep.mjs';
import { max, min, sum } from '../lib/statistics.mjs';
import { loadTester } from '../testers/tester.mjs';

/** @typedef {import('../workers/box-office.mjs').BoxOfficeWorkerResult} WorkerResult */

/**
 * @typedef {object} BoxOfficeSpecification
 * @property {import('../testers/tester.mjs').TesterName} tester
 * @property {Partial<Arena['policy']>} policy
 * @property {number} workers
 * @property {number} warmUpRounds
 * @property {number} rounds of each worker
 */

/**
 * @typedef {object} BoxOfficeResult
 * @property {number} millis from the first worker's start to the last one's end
 * @property {boolean} passed
 * @property {number} wakeUps returns from a park of the library's
 * @property {number} cpuMillis processor time of the whole process meanwhile
 */

/**
 * @param {BoxOfficeSpecification} specification
 * @param {object} shared
 */
function startWorkers({ workers, ...assignment }, shared) {
  return Array.from({ length: workers }, (_, i) => {
    const worker = new Worker(new URL('../workers/box-office.mjs', import.meta.url));
    worker.postMessage({ ...assignment, ...shared, worker: i });
    return new Promise((/** @type {(result: WorkerResult) => void} */ resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`a worker ended early with code ${code}`)));
    });
  });
}

await main(
  /** @param {BoxOfficeSpecification} specification @returns {Promise<BoxOfficeResult>} */
  async (specification) => {
    const { tester: name, policy, workers } = specification;
    const tester = await loadTester(name);
    const arena = Arena.create({ policy });
    const handles = tester.create(arena, workers);
    const buffer = new SharedArrayBuffer(control.bytes);
    const words = new Int32Array(buffer);
    const finished = Promise.all(startWorkers(specification, { arena: arena.handle, handles, buffer }));
    await Promise.race([finished, until(() => Atomics.load(words, control.ready) === workers)]);
    const before = process.cpuUsage();
    Atomics.store(words, control.phase, phases.count);
    Atomics.notify(words, control.phase);
    const results = await finished;
    const cpu = process.cpuUsage(before);
    return {
      millis: max(results.map(({ end }) => end)) - min(results.map(({ start }) => start)),
      passed: tester.passed(
        /** @type {never} */ (handles),
        results.map(({ result }) => result),
      ),
      wakeUps: sum(results.map((result) => result.wakeUps)),
      cpuMillis: (cpu.user + cpu.system) / 1000,
    };
  },
);
