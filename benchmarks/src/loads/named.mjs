// @ts-check
import { Arena } from '@sluice/core';
import { KeyedMutex, LockManager } from '@sluice/named';
import AsyncLock from 'async-lock';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { allAtOnce, oneByOne, repeat } from '../lib/side-by-side.mjs';

/** @typedef {{ request: (name: string, callback: () => unknown) => Promise<unknown> }} Requests */

const THREADS = 4;
const KEYS = 100;

const nothing = () => Promise.resolve();

/** The one of the runtime, of Node 24 and newer. @returns {Requests} */
export function webLocks() {
  return /** @type {{ locks: Requests }} */ (/** @type {unknown} */ (globalThis.navigator)).locks;
}

/**
 * All threads request one lock. A message starts a thread, and another one says that it has finished.
 * @param {import('@sluice/named').LockManagerHandle | null} handle of the library's; null for the runtime's
 */
async function threads(handle) {
  const workers = Array.from(
    { length: THREADS },
    () => new Worker(new URL('../workers/named.mjs', import.meta.url), { workerData: handle }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return /** @param {number} calls */ (calls) =>
    Promise.all(
      workers.map((worker) => {
        worker.postMessage(calls / THREADS);
        return once(worker, 'message');
      }),
    );
}

/** @type {Readonly<Record<string, import('../lib/side-by-side.mjs').Subject>>} */
const keyedCalls = {
  'async-lock': () => {
    const lock = new AsyncLock();
    let key = 0;
    return (calls) => oneByOne(calls, () => lock.acquire(`key ${key++ % KEYS}`, nothing));
  },
  'KeyedMutex.runAsync': () => {
    const keyed = KeyedMutex.create();
    let key = 0;
    return (calls) => oneByOne(calls, () => keyed.runAsync(`key ${key++ % KEYS}`, nothing));
  },
};

/** @type {readonly import('../lib/side-by-side.mjs').Load[]} */
export const loads = [
  {
    name: 'one',
    what: 'requests of a lock by name, one after the other, in one thread',
    calls: 50_000,
    node: 24,
    subjects: {
      'navigator.locks': () => (calls) => oneByOne(calls, () => webLocks().request('a', nothing)),
      LockManager: () => {
        const locks = LockManager.create();
        return (calls) => oneByOne(calls, () => locks.request('a', nothing));
      },
    },
  },
  {
    name: 'queue',
    what: '2000 requests of one lock at once, in one thread',
    calls: 2000,
    node: 24,
    subjects: {
      'navigator.locks': () => (calls) => allAtOnce(calls, () => webLocks().request('a', nothing)),
      LockManager: () => {
        const locks = LockManager.create();
        return (calls) => allAtOnce(calls, () => locks.request('a', nothing));
      },
    },
  },
  {
    name: 'threads',
    what: `requests of one lock by ${THREADS} threads`,
    calls: 2000,
    node: 24,
    subjects: {
      'navigator.locks': () => threads(null),
      LockManager: () => threads(LockManager.create({ arena: Arena.default() }).handle),
    },
  },
  {
    name: 'keyed',
    what: `async calls under the lock of one of ${KEYS} keys, in one thread`,
    calls: 50_000,
    subjects: {
      ...keyedCalls,
      'KeyedMutex.lock, unlock': () => {
        const keyed = KeyedMutex.create();
        let next = 0;
        return (calls) =>
          repeat(calls, () => {
            const key = `key ${next++ % KEYS}`;
            keyed.lock(key);
            keyed.unlock(key);
          });
      },
    },
  },
  {
    name: 'keyed first',
    what: `10,000 async calls under the lock of one of ${KEYS} keys, the first in their process but for 1000`,
    calls: 10_000,
    limit: { atMost: 1 },
    subjects: keyedCalls,
  },
];
