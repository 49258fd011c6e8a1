import { Region, Semaphore } from 'sluice';
import { workerData } from 'node:worker_threads';

// These are handles: the same memory, to be opened in this thread.
const lock = Semaphore.from(workerData.lock);
const counter = Region.from(workerData.counter).int32;

for (let i = 0; i < 1000; i++) {
  lock.run(() => {
    const [count = 0] = counter; // Two steps, a read and a write: the lock makes them one.
    counter[0] = count + 1;
  });
}
