import { connect } from '@sluice/redis';
import { Redis } from 'ioredis';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const client = new Redis(env.REDIS_URL ?? 'redis://localhost:6379', { lazyConnect: true });
const space = await connect(client, { namespace: 'shop', lease: 10_000, onWarning: () => undefined });
const mutex = space.mutex('account');
const account = { balance: 0 };

/** @param {number} amount */
async function deposit(amount) {
  await mutex.runAsync(async (guard) => {
    const { balance } = account;
    await sleep(1); // another deposit must not come in between
    guard.assertHeld();
    account.balance = balance + amount;
  });
}

await Promise.all([10, 20, 30].map(deposit));
console.log(account.balance);

const report = space.mutex('report');
const lock = await report.holdAsync();
console.log((await report.tryHold()) === null ? 'busy' : 'locked');
await lock.release();
await space.close();
