// @ts-check
// How often a line of workers hands over, while the code of the workers is cold and when it is warm.
import { Worker } from 'node:worker_threads';
import { control, countOf, createBuffer, phases, viewsOf } from '../lib/hand-overs-control.mjs';
import { main } from '../lib/jobs.mjs';
import { sleep, until } from '../lib/sleep.mjs';
import { sum } from '../lib/statistics.mjs';
import { loadSubject } from '../subjects/subject.mjs';

/**
 * 'ring': threads that wake each other by bare `Atomics.wait` and `Atomics.notify`. @typedef {'ring' |
 * import('../subjects/subject.mjs').SubjectName} HandOversSubject
 */

/**
 * @typedef {object} HandOversSpecification
 * @property {HandOversSubject} subject
 * @property {number} workers
 * @property {number} seconds of each of the two counted times
 * @property {number} warmAfterSeconds when the second of them begins
 */

/** @typedef {{ cold: number, warm: number }} HandOversResult hand-overs a second */

await main(async (/** @type {HandOversSpecification} */ { subject, workers, seconds, warmAfterSeconds }) => {
  const handle = subject === 'ring' ? null : (await loadSubject(subject)).create({});
  const buffer = createBuffer(workers);
  const views = viewsOf(buffer, workers);
  views.ring[countOf(0)] = 1;
  const started = Array.from(
    { length: workers },
    (_, worker) =>
      new Worker(new URL('../workers/hand-overs.mjs', import.meta.url), {
        workerData: { subject, handle, buffer, workers, worker },
      }),
  );
  const failed = Promise.race(started.map((worker) => new Promise((_, reject) => void worker.once('error', reject))));
  await Promise.race([failed, until(() => Atomics.load(views.words, control.ready) === workers)]);

  const passes = () => sum(started.map((_, worker) => Atomics.load(views.counts, countOf(worker))));
  const rate = async () => {
    const [before, began] = [passes(), performance.now()];
    await Promise.race([failed, sleep(seconds * 1000)]);
    return ((passes() - before) * 1000) / (performance.now() - began);
  };
  Atomics.store(views.words, control.phase, phases.go);
  Atomics.notify(views.words, control.phase);
  const cold = await rate();
  await Promise.race([failed, sleep((warmAfterSeconds - seconds) * 1000)]);
  const warm = await rate();
  // The process ends with its workers: most of them are asleep in the line.
  return { cold, warm };
});
