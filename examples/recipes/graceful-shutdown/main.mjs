import { BoundedBuffer } from 'sluice';
import { once } from 'node:events';
import process from 'node:process';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const GRACE_MS = 10_000;

if (isMainThread) {
  const jobs = BoundedBuffer.create({ codec: 'json', ringBytes: 4096, name: 'jobs' });
  const workers = [1, 2].map(() => new Worker(new URL(import.meta.url), { workerData: jobs.handle }));
  for (const worker of workers) jobs.arena.watch(worker);
  const done = workers.map((worker) => once(worker, 'message'));

  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  process.once('SIGINT', () => stop.abort());
  console.log('ready');

  // Accepts work until it is told to stop. A push waits while the queue is full, and the signal ends that wait, too.
  let accepted = 0;
  try {
    for (;;) {
      stop.signal.throwIfAborted();
      await jobs.pushAsync({ job: accepted }, { signal: stop.signal });
      accepted += 1;
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }

  await jobs.closeAsync(); // no further job goes in; the workers take what is there, then their loops end
  const late = setTimeout(() => workers.forEach((worker) => void worker.terminate()), GRACE_MS);
  const counts = await Promise.all(done);
  clearTimeout(late);
  const finished = counts.flat().reduce((sum, count) => sum + Number(count), 0);
  console.log(`jobs lost: ${accepted - finished}`);
} else {
  let finished = 0;
  for (const { job } of BoundedBuffer.from(workerData)) {
    finished += job >= 0 ? 1 : 0; // stands for the work
  }
  parentPort?.postMessage(finished);
}
