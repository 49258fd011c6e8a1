import { Region, Semaphore } from 'sluice';
import { workerData } from 'node:worker_threads';

const { lock: lockHandle, counter: counterHandle } = workerData; // handles, to be opened in this thread
const lock = Semaphore.from(lockHandle);
const counter = Region.from(counterHandle).int32;

for (let i = 0; i < 1000; i++) {
  lock.run(() => {
    const [count = 0] = counter; // Two steps, a read and a write: the lock makes them one.
    counter[0] = count + 1;
  });
}
