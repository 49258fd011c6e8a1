// @ts-check
import { RateLimiter } from '@sluice/limit';
import { RateLimiter as Limiter } from 'limiter';
import PQueue from 'p-queue';
import { allAtOnce, oneByOne, repeat } from '../lib/side-by-side.mjs';

/** So many permits in an interval that there is always one. */
const PLENTY = { permits: 10_000_000, interval: 1000 };
/** Waiting calls get two permits in 1 ms, ten at once. */
const SCARCE = { permits: 10, interval: 5 };

const nothing = () => Promise.resolve();

/** @param {boolean} there */
function expectPermit(there) {
  if (!there) throw new Error('A permit is missing.');
}

/** @param {typeof PLENTY} rate */
function queue({ permits, interval }) {
  const calls = new PQueue({ interval, intervalCap: permits });
  return () => calls.add(nothing);
}

/** @param {typeof PLENTY} rate */
function limiter({ permits, interval }) {
  const rate = new Limiter({ tokensPerInterval: permits, interval });
  return async () => {
    await rate.removeTokens(1);
    return nothing();
  };
}

/** @param {typeof PLENTY} options */
function sluice(options) {
  const rate = RateLimiter.create(options);
  return () => rate.runAsync(nothing);
}

/** @type {readonly import('../lib/side-by-side.mjs').Load[]} */
export const loads = [
  {
    name: 'try',
    what: 'a call that only tries, a permit is there',
    calls: 200_000,
    subjects: {
      limiter: () => {
        const rate = new Limiter({ tokensPerInterval: PLENTY.permits, interval: PLENTY.interval });
        return (calls) => repeat(calls, () => expectPermit(rate.tryRemoveTokens(1)));
      },
      RateLimiter: () => {
        const rate = RateLimiter.create(PLENTY);
        return (calls) => repeat(calls, () => expectPermit(rate.tryAcquire()));
      },
    },
  },
  {
    name: 'call',
    what: 'an async call, a permit is there',
    calls: 100_000,
    subjects: {
      'p-queue': () => (calls) => oneByOne(calls, queue(PLENTY)),
      limiter: () => (calls) => oneByOne(calls, limiter(PLENTY)),
      RateLimiter: () => (calls) => oneByOne(calls, sluice(PLENTY)),
    },
  },
  {
    name: 'wait',
    what: '1000 async calls wait, 2 permits in 1 ms',
    calls: 1000,
    subjects: {
      'p-queue': () => (calls) => allAtOnce(calls, queue(SCARCE)),
      limiter: () => (calls) => allAtOnce(calls, limiter(SCARCE)),
      RateLimiter: () => (calls) => allAtOnce(calls, sluice(SCARCE)),
    },
  },
];
