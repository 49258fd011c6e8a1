import { BoundedBuffer, CountdownLatch, Region } from 'sluice';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const JOBS = 200;
const WORKERS = 2;
const MAX_TRIES = 3;
const NONE = 0;

const jobs = BoundedBuffer.create({ codec: 'int32', capacity: 64, name: 'jobs' });
const open = CountdownLatch.create(JOBS, { name: 'open jobs' });
const begun = Region.create(WORKERS * 4); // the job that each worker has begun
const tries = Region.create((JOBS + 1) * 4); // how often each job was begun
const done = Region.create((JOBS + 1) * 4); // 1: the job is done
const handles = { jobs: jobs.handle, open: open.handle, begun: begun.handle, tries: tries.handle, done: done.handle };

let crashes = 0;
let givenUp = 0;

/**
 * Keeps one worker running until the jobs end.
 * @param {number} slot
 */
async function supervise(slot) {
  for (;;) {
    const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: { ...handles, slot } });
    jobs.arena.watch(worker); // recovers what the worker held, before this function goes on
    const [code] = await once(worker, 'exit');
    if (code === 0) return;
    crashes += 1;
    const job = begun.int32[slot] ?? NONE;
    begun.int32[slot] = NONE;
    if (job === NONE || done.int32[job] === 1) continue;
    if ((tries.int32[job] ?? 0) < MAX_TRIES)
      await jobs.pushAsync(job); // begins again, with any worker
    else {
      givenUp += 1; // this job kills its workers
      open.done();
    }
  }
}

const supervised = Array.from({ length: WORKERS }, (_, slot) => supervise(slot));
for (let job = 1; job <= JOBS; job++) await jobs.pushAsync(job);
await open.waitAsync();
await jobs.closeAsync(); // the workers' loops end
await Promise.all(supervised);

const finished = done.int32.reduce((sum, state) => sum + state);
console.log(`${finished} jobs done, ${givenUp} given up, ${crashes} crashes`);
