// The page: hands out numbers, and waits without blocking.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, Region } from '@sluice/core';
import { Mutex } from '@sluice/mutex';

export async function sum() {
  const numbers = BoundedBuffer.create({ codec: 'int32', capacity: 8, name: 'numbers' });
  const mutex = Mutex.create({ name: 'results' });
  const results = Region.create(8); // the sum, and how many numbers it has
  const handles = { numbers: numbers.handle, mutex: mutex.handle, results: results.handle };

  const workers = [1, 2].map(() => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }));
  const taken = workers.map((worker) => {
    Arena.default().watch(worker);
    worker.postMessage(handles);
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(`a worker failed: ${message}`));
    });
  });

  for (let n = 1; n <= 1000; n++) await numbers.pushAsync(n); // waits while the buffer is full
  numbers.close();
  const [one, other] = await Promise.all(taken);
  const [total, count] = results.int32;
  return `${one + other === count ? '2 workers' : 'Not all workers'} added ${count} numbers: ${total}`;
}
