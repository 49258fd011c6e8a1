import { E_TIMEOUT, Mutex, Semaphore, withTimeout } from 'async-mutex';
import { setTimeout as sleep } from 'node:timers/promises';

const mutex = new Mutex();
const connections = withTimeout(new Semaphore(2), 20);
const account = { balance: 0 };

/** @param {number} amount */
async function deposit(amount) {
  await mutex.runExclusive(async () => {
    const { balance } = account;
    await sleep(1); // another deposit must not come in between
    account.balance = balance + amount;
  });
}

/** @param {number} ms */
async function query(ms) {
  try {
    return await connections.runExclusive(() => sleep(ms, 'answered'));
  } catch (error) {
    if (error !== E_TIMEOUT) throw error;
    return 'too busy';
  }
}

await Promise.all([10, 20, 30].map(deposit));
console.log(account.balance);
console.log((await Promise.all([100, 100, 1].map(query))).join(', '));

const release = await mutex.acquire();
console.log(mutex.isLocked());
release();
