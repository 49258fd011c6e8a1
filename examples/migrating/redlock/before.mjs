import { Redis } from 'ioredis';
import Redlock from 'redlock';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const client = new Redis(env.REDIS_URL ?? 'redis://localhost:6379');
const redlock = new Redlock([client], { retryCount: 100, retryDelay: 20, retryJitter: 10 });
const account = { balance: 0 };

/** @param {number} amount */
async function deposit(amount) {
  await redlock.using(['account'], 10_000, async (signal) => {
    const { balance } = account;
    await sleep(1); // another deposit must not come in between
    if (signal.aborted) throw signal.error;
    account.balance = balance + amount;
  });
}

await Promise.all([10, 20, 30].map(deposit));
console.log(account.balance);

const lock = await redlock.acquire(['report'], 10_000);
console.log(
  await redlock.acquire(['report'], 10_000, { retryCount: 0 }).then(
    () => 'locked',
    () => 'busy',
  ),
);
await lock.release();
await client.quit();
