import { BoundedBuffer, CountdownLatch, hasCode } from 'sluice';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const ENDS = 3; // of each side
const VALUES = 1000;

/**
 * Starts three producers and three consumers, and ends with what the consumers counted.
 * @param {'producer' | 'consumer'} dying the side whose workers die in the middle of their work
 */
async function runTogether(dying) {
  const buffer = BoundedBuffer.create({ capacity: 16, codec: 'int32', name: 'jobs' });
  const producers = CountdownLatch.create(ENDS, { name: 'producers' });
  const consumers = CountdownLatch.create(ENDS, { name: 'consumers' });
  // This thread watches the workers, so it recovers those that die. It closes the buffer when one side is gone.
  void producers.waitAsync({ ref: false }).then(() => buffer.close());
  void consumers.waitAsync({ ref: false }).then(() => buffer.close());

  const sides = /** @type {const} */ (['producer', 'consumer']);
  const workers = sides.flatMap((side) =>
    Array.from({ length: ENDS }, () => {
      const latch = side === 'producer' ? producers : consumers;
      const worker = new Worker(new URL(import.meta.url), {
        workerData: { side, dies: side === dying, buffer: buffer.handle, latch: latch.handle },
      });
      buffer.arena.watch(worker);
      return new Promise((/** @type {(told: { ended: boolean } | undefined) => void} */ resolve) =>
        worker.once('message', resolve).once('exit', () => resolve(undefined)),
      );
    }),
  );
  return (await Promise.all(workers))
    .map((told) => (told === undefined ? 'died' : told.ended ? 'was told' : 'finished'))
    .sort();
}

if (isMainThread) {
  console.log('producers die:', (await runTogether('producer')).join(', '));
  console.log('consumers die:', (await runTogether('consumer')).join(', '));
} else {
  const { side, dies } = workerData;
  const latch = CountdownLatch.from(workerData.latch);
  latch.claim(); // if this worker dies, its recovery counts down for it
  const buffer = BoundedBuffer.from(workerData.buffer);
  let ended = false;
  try {
    for (let done = 0; side === 'consumer' || done < VALUES; done++) {
      if (dies && done === 100) process.exit(1);
      if (side === 'producer') buffer.push(done);
      else buffer.pop();
    }
  } catch (failure) {
    if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    ended = true; // the other side is gone, and the buffer is empty
  }
  parentPort?.postMessage({ ended });
  latch.done();
}
