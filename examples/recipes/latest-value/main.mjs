import { WatchCell } from 'sluice';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const STEPS = 2000;

if (isMainThread) {
  const progress = WatchCell.create({ done: 0, of: STEPS }, { name: 'progress' });
  const worker = new Worker(new URL(import.meta.url), { workerData: progress.handle });
  progress.arena.watch(worker);

  let drawn = 0;
  let last = 0;
  for await (const { done, of } of progress) {
    // one wake-up, however many steps were made meanwhile
    if (of !== STEPS) throw new Error('half a change');
    last = done;
    drawn += 1; // draw the bar here
  }
  console.log(`${last} steps, drawn at most as often: ${drawn > 0 && drawn <= STEPS + 1}`);
} else {
  const progress = WatchCell.from(workerData);
  for (let done = 1; done <= STEPS; done++) progress.set({ done, of: STEPS }); // never waits for the other thread
  progress.close(); // the loop gets the last state, and ends
}
