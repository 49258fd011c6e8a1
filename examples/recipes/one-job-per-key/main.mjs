import { Mutex, Region } from 'sluice';
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const STRIPES = 16; // locks; keys with the same remainder share one
const KEYS = 40;
const BUILT = 1;

if (isMainThread) {
  const locks = Array.from({ length: STRIPES }, (_, n) => Mutex.create({ name: `keys ${n}` }));
  const states = Region.create(KEYS * 4); // one word for each key
  const builds = Region.create(KEYS * 4); // how often each was built
  const handles = { locks: locks.map((lock) => lock.handle), states: states.handle, builds: builds.handle };
  const workers = [1, 2, 3].map(() => new Worker(new URL(import.meta.url), { workerData: handles }));
  for (const worker of workers) states.arena.watch(worker);
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  console.log(`${KEYS} keys, each built once: ${builds.int32.every((count) => count === 1)}`);
} else {
  const locks = workerData.locks.map((/** @type {import('sluice').MutexHandle} */ handle) => Mutex.from(handle));
  const states = Region.from(workerData.states).int32;
  const builds = Region.from(workerData.builds).int32;

  /** @param {number} key */
  const build = (key) => {
    builds[key] = (builds[key] ?? 0) + 1; // stands for the work
  };

  for (let key = 0; key < KEYS; key++) {
    // Other keys go on. A second thread with this key waits, and finds the work done.
    locks[key % STRIPES].run(
      () => {
        if (states[key] === BUILT) return;
        build(key);
        states[key] = BUILT;
      },
      {
        // The last owner died while it built a key. It had not marked the key as built, so the next thread builds it
        // again.
        onOwnerDied: (/** @type {import('sluice').RecoveryGuard} */ guard) => guard.markConsistent(),
      },
    );
  }
}
