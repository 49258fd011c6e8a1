import { addressSignal, addressWaitUntil, addressWaitUntilAsync, Region, SharedWord } from 'sluice';
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

// The condition: at least 100 samples have been read, or the reader has failed.
const region = isMainThread ? Region.create(8, { name: 'progress' }) : Region.from(workerData.region);
const samples = SharedWord.at(region, 0);
const failed = SharedWord.at(region, 1);
const enough = () => samples.load() >= 100 || failed.load() > 0;

if (isMainThread) {
  const workers = ['reads', 'waits'].map(
    (job) => new Worker(new URL(import.meta.url), { workerData: { job, region: region.handle } }),
  );
  const ends = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) region.arena.watch(worker);
  await addressWaitUntilAsync(samples, enough, { timeout: 10_000 }); // the main thread only awaits
  console.log(`the main thread sees at least 100 samples: ${samples.load() >= 100}`);
  await Promise.all(ends);
} else if (workerData.job === 'reads') {
  for (let n = 0; n < 150; n++) {
    samples.add(1); // first the change,
    addressSignal(samples); // then the signal, with the word that all waiters use as their key
  }
} else if (addressWaitUntil(samples, enough, 10_000)) {
  console.log(`a worker sees at least 100 samples: ${samples.load() >= 100}`);
}
