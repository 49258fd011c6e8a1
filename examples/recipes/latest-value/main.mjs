import { AutoResetEvent } from '@sluice/auto-reset-event';
import { Region } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const STEPS = 2000;

const shared = isMainThread ? Region.create(16) : Region.from(workerData.shared);
const [done, total] = [0, 1]; // two numbers that belong together
const progress = shared.float64;

if (isMainThread) {
  const changed = AutoResetEvent.create({ name: 'progress' });
  const mutex = Mutex.create({ name: 'progress' });
  const worker = new Worker(new URL(import.meta.url), { workerData: { shared: shared.handle, changed: changed.handle, mutex: mutex.handle } });
  changed.arena.watch(worker);

  let drawn = 0;
  for (let finished = 0; finished < STEPS; ) {
    await changed.waitAsync(); // one wake-up, however many steps were made meanwhile
    const { now, of } = await mutex.runAsync(() => ({ now: progress[done] ?? 0, of: progress[total] ?? 0 }));
    if (now !== finished) drawn += 1; // draw the bar here
    finished = now;
    if (of !== STEPS) throw new Error('half a change');
  }
  console.log(`${STEPS} steps, drawn at most as often: ${drawn > 0 && drawn <= STEPS}`);
} else {
  const changed = AutoResetEvent.from(workerData.changed);
  const mutex = Mutex.from(workerData.mutex);
  for (let step = 1; step <= STEPS; step++) {
    mutex.run(() => {
      progress[done] = step;
      progress[total] = STEPS;
    });
    changed.signal(); // never waits for the other thread
  }
}
