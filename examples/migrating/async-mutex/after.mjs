import { hasCode, Mutex, Semaphore } from 'sluice';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const mutex = Mutex.create();
const connections = Semaphore.create(2);
const account = { balance: 0 };

/** @param {number} amount */
async function deposit(amount) {
  await mutex.runAsync(async () => {
    const { balance } = account;
    await sleep(1); // another deposit must not come in between
    account.balance = balance + amount;
  });
}

/** @param {() => Promise<string>} read */
async function query(read) {
  try {
    return await connections.runAsync(read, 1, { timeout: 20 });
  } catch (error) {
    if (!hasCode(error, 'SLUICE_TIMEOUT')) throw error;
    return 'too busy';
  }
}

await Promise.all([10, 20, 30].map(deposit));
console.log(account.balance);

const slow = new AbortController();
const first = [1, 2].map(() => query(() => once(slow.signal, 'abort').then(() => 'answered'))); // both connections
console.log(await query(() => Promise.resolve('answered')));
slow.abort();
console.log((await Promise.all(first)).join(', '));

const guard = await mutex.holdAsync();
console.log(mutex.owned);
guard.release();
