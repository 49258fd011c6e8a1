import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const counter = new Int32Array(isMainThread ? new SharedArrayBuffer(4) : workerData.counter);

if (isMainThread) {
  const workers = [1, 2].map(() => new Worker(new URL(import.meta.url), { workerData: { counter: counter.buffer } }));
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  await navigator.locks.request('counter', { mode: 'shared' }, () => console.log(counter[0]));

  await navigator.locks.request('counter', async () => {
    const free = await navigator.locks.request('counter', { ifAvailable: true }, (lock) => lock !== null);
    console.log(free);
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(new Error('gave up')), 20);
    const failure = await navigator.locks.request('counter', { signal: cancel.signal }, () => undefined).catch(String);
    console.log(failure);
  });
} else {
  for (let n = 0; n < 500; n++) {
    await navigator.locks.request('counter', () => {
      counter[0] = (counter[0] ?? 0) + 1;
    });
  }
}
