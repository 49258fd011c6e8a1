// page.js
import { Mutex } from 'sluice';
const forks = workers.map((_, n) => Mutex.create({ name: `fork ${n + 1}` }));
workers.forEach((worker, n) => worker.postMessage([forks[n].handle, forks[(n + 1) % forks.length].handle]));

// worker.js
import { holdAll, Mutex } from 'sluice';
onmessage = ({ data }) => {
  const both = data.map((fork) => Mutex.from(fork));
  for (;;) {
    const guard = holdAll(both); // in one order for all workers: no deadlock
    pass();
    guard.release();
  }
};
