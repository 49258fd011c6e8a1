import { Arena, Semaphore } from 'sluice';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

if (isMainThread) {
  const turn = Semaphore.create(1, { name: 'turn' });
  const worker = new Worker(new URL(import.meta.url), { workerData: turn.handle });
  Arena.default().watch(worker, {
    onReclaim: ({ permits }) =>
      console.log('came back:', permits.map((entry) => `${entry.permits} of ${entry.name}`).join()),
  });

  await once(worker, 'message');
  console.log('free while the worker works:', turn.available);
  const next = turn.acquireAsync(); // waits behind the worker
  await worker.terminate(); // the worker never calls release
  await next;
  console.log('the main thread has the permit');
  turn.release();
} else {
  Semaphore.from(workerData).acquire();
  parentPort?.postMessage('working');
  setInterval(() => undefined, 1000);
}
