import { Arena, Region } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { wrap } from 'comlink';

async function sum() {
  const mutex = Mutex.create({ name: 'results' });
  const results = Region.create(8); // the sum, and how many numbers it has
  const workers = [1, 2].map(() => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    Arena.default().watch(worker); // Comlink does not notice that a worker has died
    return wrap(worker);
  });
  // Handles are plain objects. They go once, before the first call that needs them.
  await Promise.all(workers.map((worker) => worker.open({ mutex: mutex.handle, results: results.handle })));
  const parts = Array.from({ length: 10 }, (_, part) => Array.from({ length: 100 }, (_, n) => part * 100 + n + 1));
  const taken = await Promise.all(parts.map((part, n) => workers[n % 2].add(part)));
  const [total, count] = results.int32;
  return `${taken.length} calls added ${count} numbers: ${total}`;
}

const output = document.querySelector('output');
sum().then(
  (text) => (output.textContent = text),
  (failure) => (output.textContent = `failed: ${failure}`),
);
