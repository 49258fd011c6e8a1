import { connect } from '@sluice/redis';
import { Redis } from 'ioredis';
import { EventEmitter, once } from 'node:events';
import { env } from 'node:process';

const client = new Redis(env.REDIS_URL ?? 'redis://localhost:6379', { lazyConnect: true });
const space = await connect(client, { namespace: 'shop', lease: 10_000, onWarning: () => undefined });
const semaphore = space.semaphore('api', 2);
const met = new EventEmitter();
const twoMet = once(met, 'two');
let open = 0;
let most = 0;

/** @param {number} page */
async function download(page) {
  return semaphore.runAsync(async () => {
    most = Math.max(most, ++open);
    if (open === 2) met.emit('two');
    await twoMet;
    open--;
    return `page ${page}`;
  });
}

console.log((await Promise.all([1, 2, 3, 4, 5].map(download))).join(', '));
console.log(`at most ${most} at a time`);

const mutex = space.mutex('report');
const first = await mutex.holdAsync();
first.signal.addEventListener('abort', () => console.error(first.signal.reason));
console.log((await mutex.tryHold()) !== null);
await first.release();
const second = await mutex.tryHold();
console.log(second !== null);
await second?.release();
await space.close();
