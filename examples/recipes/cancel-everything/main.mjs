import { BoundedBuffer, createLimit, Mutex, Semaphore, WorkerPool } from 'sluice';
import { setTimeout as sleep } from 'node:timers/promises';

const slots = Semaphore.create(1, { name: 'slots' });
const mutex = Mutex.create({ name: 'report' });
const queue = BoundedBuffer.create({ codec: 'json', ringBytes: 1024, name: 'queue' });
const limit = createLimit(1);
const pool = new WorkerPool({ filename: new URL('./tasks.mjs', import.meta.url), size: 1 });

const cancel = new AbortController();
const { signal } = cancel;

await slots.acquireAsync();
await mutex.lockAsync();
const running = limit(() => sleep(50));

// Everything below waits or runs. One signal ends all of it.
const work = [
  slots.acquireAsync(1, { signal }), // for a permit
  mutex.runAsync(() => 'never', { signal }), // for a lock
  queue.popAsync({ signal }), // for a value
  limit.run(() => Promise.resolve('never'), { signal }), // for a slot
  pool.run('forever', { signal }), // a task that a worker runs
  pool.run('forever', { signal }), // a task behind it
  sleep(60_000, undefined, { signal }), // and what the platform offers
];
cancel.abort(new Error('the user has left'));

const results = await Promise.allSettled(work);
console.log(
  results.map((result) => (result.status === 'rejected' ? String(result.reason.message) : 'went on')).join('\n'),
);

// Nothing was taken, and no line has a gap.
slots.release();
mutex.unlock();
await running;
console.log(
  `free: ${slots.available} slot, mutex ${mutex.tryLock()}, ${queue.length} values, ${limit.activeCount} calls`,
);
mutex.unlock();
await pool.close();
