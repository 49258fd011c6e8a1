// @ts-check
// Three workers end with a lock each. The first two are watched, if the argument says so. The program goes on until
// each of them would have been named by a warning.
import { Arena } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { once } from 'node:events';
import { argv } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

async function main() {
  for (let count = 0; count < 3; count++) {
    const lock = Mutex.create({ name: `lock ${count}` });
    const worker = new Worker(new URL(import.meta.url), { workerData: lock.handle });
    if (argv[2] === 'watched' && count < 2) Arena.default().watch(worker);
    await once(worker, 'exit');
  }
  // The warning of a worker comes 100 ms after its end. Timers of 300 ms end after those of 100 ms that began before.
  await pause(300);
}

if (isMainThread) void main();
else Mutex.from(workerData).tryLock();
