// @ts-check
// Limits with an interval, and queues of tasks, beside p-queue.
import { createLimit, TaskQueue } from '@sluice/limit';
import PQueue from 'p-queue';
import { allAtOnce, oneByOne } from '../lib/side-by-side.mjs';

/** So many starts in an interval that there is always one. */
const PLENTY = { interval: 1000, intervalCap: 10_000_000 };
/** Waiting calls get two starts in 1 ms, ten at once. */
const SCARCE = { interval: 5, intervalCap: 10 };

const nothing = () => Promise.resolve();

/** @param {typeof PLENTY} options */
function queue(options) {
  const calls = new PQueue(options);
  return () => calls.add(nothing);
}

/** @param {typeof PLENTY} options */
function sluice(options) {
  const limit = createLimit(options);
  return () => limit(nothing);
}

/** Of the queues of tasks. */
const CONCURRENCY = 10;

const pQueue = () => {
  const calls = new PQueue({ concurrency: CONCURRENCY });
  return () => calls.add(nothing);
};

const taskQueue = () => {
  const calls = TaskQueue.create({ concurrency: CONCURRENCY });
  return () => calls.add(nothing);
};

/** @type {readonly import('../lib/side-by-side.mjs').Load[]} */
export const loads = [
  {
    name: 'call',
    what: 'with an interval: one call after the other, starts are left',
    calls: 100_000,
    subjects: {
      'p-queue': () => (calls) => oneByOne(calls, queue(PLENTY)),
      createLimit: () => (calls) => oneByOne(calls, sluice(PLENTY)),
    },
  },
  {
    name: 'wait',
    what: 'with an interval: 1000 calls wait, 10 start in 5 ms',
    calls: 1000,
    subjects: {
      'p-queue': () => (calls) => allAtOnce(calls, queue(SCARCE)),
      createLimit: () => (calls) => allAtOnce(calls, sluice(SCARCE)),
    },
  },
  {
    name: 'task',
    what: 'a queue of tasks: one after the other, a slot is free',
    calls: 100_000,
    subjects: {
      'p-queue': () => (calls) => oneByOne(calls, pQueue()),
      TaskQueue: () => (calls) => oneByOne(calls, taskQueue()),
    },
  },
  {
    name: 'tasks',
    what: 'a queue of tasks: 20,000 are added at once',
    calls: 20_000,
    subjects: {
      'p-queue': () => (calls) => allAtOnce(calls, pQueue()),
      TaskQueue: () => (calls) => allAtOnce(calls, taskQueue()),
    },
  },
];
