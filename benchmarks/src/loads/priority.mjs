// @ts-check
import { createLimit } from '@sluice/limit';
import { PrioritySemaphore } from '@sluice/semaphores';
import { Semaphore } from 'async-mutex';
import PQueue from 'p-queue';
import { allAtOnce, oneByOne } from '../lib/side-by-side.mjs';

const LEVELS = 8;
const WAITING = 10_000;

const nothing = () => Promise.resolve();

/** @param {number} call */
const priorityOf = (call) => (call * 5) % LEVELS;

/** @type {Readonly<Record<string, import('../lib/side-by-side.mjs').Subject>>} */
const waiting = {
  'async-mutex Semaphore': () => {
    const sem = new Semaphore(1);
    return (calls) => allAtOnce(calls, (call) => sem.acquire(1, priorityOf(call)).then(([, release]) => release()));
  },
  PrioritySemaphore: () => {
    const sem = PrioritySemaphore.create(1);
    return (calls) =>
      allAtOnce(calls, (call) => sem.acquireAsync(1, { priority: priorityOf(call) }).then(() => sem.release()));
  },
};

/** @type {readonly import('../lib/side-by-side.mjs').Load[]} */
export const loads = [
  {
    name: 'free',
    what: 'acquire and release with a priority, a permit is there',
    calls: 200_000,
    subjects: {
      'async-mutex Semaphore': () => {
        const sem = new Semaphore(1);
        return (calls) => oneByOne(calls, () => sem.acquire(1, 3).then(([, release]) => release()));
      },
      PrioritySemaphore: () => {
        const sem = PrioritySemaphore.create(1);
        return (calls) => oneByOne(calls, () => sem.acquireAsync(1, { priority: 3 }).then(() => sem.release()));
      },
    },
  },
  {
    name: 'wait',
    what: '10,000 calls of eight priorities wait for one permit, the first in their process but for 1000',
    calls: WAITING,
    limit: { atMost: 1 },
    subjects: waiting,
  },
  {
    name: 'wait again',
    what: '10,000 calls of eight priorities wait for one permit, after 30,000 others',
    calls: WAITING,
    // When most of it is compiled, and the heap has grown.
    warm: 3 * WAITING,
    subjects: waiting,
  },
  {
    name: 'limit',
    what: '10,000 calls of eight priorities through a limit of 4, in one thread',
    calls: 10_000,
    subjects: {
      'p-queue': () => {
        const queue = new PQueue({ concurrency: 4 });
        return (calls) => allAtOnce(calls, (call) => queue.add(nothing, { priority: priorityOf(call) }));
      },
      createLimit: () => {
        const limit = createLimit(4);
        return (calls) => allAtOnce(calls, (call) => limit.run(nothing, { priority: priorityOf(call) }));
      },
    },
  },
];
