import { Region, Semaphore, spawn } from 'sluice';
import { isMainThread, workerData } from 'node:worker_threads';

if (isMainThread) {
  const turn = Semaphore.create(1, { name: 'turn' }); // one permit: one thread at a time
  const counter = Region.create(4); // four bytes that all threads see
  const workers = ['left', 'right'].map((name) => spawn(import.meta.url, { data: { name, turn, counter } }));
  await Promise.all(workers.map(({ ended }) => ended));
  console.log('together', counter.int32[0]);
} else {
  const { name } = workerData;
  const turn = Semaphore.from(workerData.turn); // the same semaphore in this thread
  const counter = Region.from(workerData.counter).int32;
  for (let i = 0; i < 1000; i++) {
    turn.run(() => {
      const [count = 0] = counter; // a read,
      counter[0] = count + 1; // and a write: without the semaphore the other worker could come in between
    });
  }
  console.log(name, 'added 1000');
}
