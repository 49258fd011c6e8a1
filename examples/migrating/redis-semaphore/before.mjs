import { Redis } from 'ioredis';
import { Mutex, Semaphore } from 'redis-semaphore';
import { EventEmitter, once } from 'node:events';
import { env } from 'node:process';

const client = new Redis(env.REDIS_URL ?? 'redis://localhost:6379');
const met = new EventEmitter();
const twoMet = once(met, 'two');
let open = 0;
let most = 0;

/** @param {number} page */
async function download(page) {
  const semaphore = new Semaphore(client, 'api', 2, { lockTimeout: 10_000 });
  await semaphore.acquire();
  try {
    most = Math.max(most, ++open);
    if (open === 2) met.emit('two');
    await twoMet;
    open--;
    return `page ${page}`;
  } finally {
    await semaphore.release();
  }
}

console.log((await Promise.all([1, 2, 3, 4, 5].map(download))).join(', '));
console.log(`at most ${most} at a time`);

const first = new Mutex(client, 'report', { onLockLost: (error) => console.error(error) });
await first.acquire();
const second = new Mutex(client, 'report', { acquireAttemptsLimit: 1 });
console.log(await second.tryAcquire());
await first.release();
console.log(await second.tryAcquire());
await second.release();
await client.quit();
