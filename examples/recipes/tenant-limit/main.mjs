import { KeyedLimit, KeyedRateLimiter, ManualResetEvent } from 'sluice';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const OF_A_TENANT = 2; // calls of one tenant at a time
const OF_ALL = 4; // calls of all tenants at a time

if (isMainThread) {
  const limit = KeyedLimit.create({ concurrency: OF_A_TENANT, total: OF_ALL, name: 'tenants' });
  const rates = KeyedRateLimiter.create({ permits: 1000, interval: 1000, burst: 50, name: 'rates' });
  const answer = ManualResetEvent.create({ name: 'answer' }); // what the calls of the busy tenant wait for
  const handles = { limit: limit.handle, rates: rates.handle, answer: answer.handle };
  const workers = [1, 2].map(() => new Worker(new URL(import.meta.url), { workerData: handles }));
  for (const worker of workers) limit.arena.watch(worker); // the slots of a worker that is killed become free
  await Promise.all(workers.map((worker) => once(worker, 'message'))); // each has 300 calls of 'busy' in line

  const starts = await Promise.all(
    ['new', 'late'].map((tenant) =>
      limit.runAsync(tenant, () => {
        const { keys } = limit.inspect();
        return keys.find(({ key }) => key === 'busy')?.waiters.length ?? 0;
      }),
    ),
  );
  console.log(`served while the busy tenant still waited: ${starts.every((left) => left > 0)}`);
  answer.set();
  const ended = await Promise.all(workers.map((worker) => once(worker, 'exit')));
  console.log(`exit codes ${ended.join(', ')}; calls left: ${limit.inspect().running}`);
} else {
  const limit = KeyedLimit.from(workerData.limit);
  const rates = KeyedRateLimiter.from(workerData.rates);
  const answer = ManualResetEvent.from(workerData.answer);
  const calls = Array.from({ length: 300 }, () =>
    limit.runAsync('busy', async () => {
      await rates.acquireAsync('busy');
      await answer.waitAsync();
    }),
  );
  parentPort?.postMessage('ready');
  await Promise.all(calls);
}
