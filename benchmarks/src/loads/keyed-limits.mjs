// @ts-check
import { KeyedLimit, KeyedRateLimiter } from '@sluice/named';
import Bottleneck from 'bottleneck';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { allAtOnce, oneByOne, repeat } from '../lib/side-by-side.mjs';

const KEYS = 100;
/** So many permits in a second that there is always one. */
const PLENTY = 10_000_000;
const LIMIT = { concurrency: 2, total: 20 };

const nothing = () => Promise.resolve();

/** @param {(key: string) => unknown} use */
function inTurn(use) {
  const keys = Array.from({ length: KEYS }, (_, key) => `key ${key}`);
  let next = 0;
  return () => use(/** @type {string} */ (keys[next++ % KEYS]));
}

/** @param {(key: string) => unknown} use @returns {() => unknown} */
function withNewKeys(use) {
  let next = 0;
  return () => use(`user ${next++}`);
}

/** @param {(key: string) => Promise<unknown>} use @returns {() => Promise<unknown>} */
function inTurnAsync(use) {
  return /** @type {() => Promise<unknown>} */ (inTurn(use));
}

function flexible() {
  const rates = new RateLimiterMemory({ points: PLENTY, duration: 1 });
  return (/** @type {string} */ key) => rates.consume(key);
}

function sluiceRates() {
  return KeyedRateLimiter.create({ permits: PLENTY, interval: 1000 });
}

function group() {
  const limits = new Bottleneck.Group({ maxConcurrent: LIMIT.concurrency });
  return (/** @type {string} */ key) => limits.key(key).schedule(nothing);
}

function sluiceLimit() {
  const limit = KeyedLimit.create(LIMIT);
  return (/** @type {string} */ key) => limit.runAsync(key, nothing);
}

/** @type {readonly import('../lib/side-by-side.mjs').Load[]} */
export const loads = [
  {
    name: 'consume',
    what: `a permit of one of ${KEYS} keys, which is there`,
    calls: 100_000,
    subjects: {
      'rate-limiter-flexible': () => (calls) => oneByOne(calls, inTurnAsync(flexible())),
      'KeyedRateLimiter.acquireAsync': () => {
        const rates = sluiceRates();
        return (calls) =>
          oneByOne(
            calls,
            inTurnAsync((key) => rates.acquireAsync(key)),
          );
      },
      'KeyedRateLimiter.tryAcquire': () => {
        const rates = sluiceRates();
        return (calls) =>
          repeat(
            calls,
            inTurn((key) => rates.tryAcquire(key)),
          );
      },
    },
  },
  {
    name: 'new-keys',
    what: 'a permit of a key that was not used before',
    calls: 20_000,
    subjects: {
      'rate-limiter-flexible': () => {
        const consume = flexible();
        const use = withNewKeys(consume);
        return (calls) => oneByOne(calls, () => /** @type {Promise<unknown>} */ (use()));
      },
      'KeyedRateLimiter.tryAcquire': () => {
        const rates = sluiceRates();
        const use = withNewKeys((key) => rates.tryAcquire(key));
        return (calls) => repeat(calls, use);
      },
    },
  },
  {
    name: 'run',
    what: `async calls for one of ${KEYS} keys, one after the other`,
    calls: 2000,
    subjects: {
      'Bottleneck.Group': () => (calls) => oneByOne(calls, inTurnAsync(group())),
      'KeyedLimit.runAsync': () => (calls) => oneByOne(calls, inTurnAsync(sluiceLimit())),
    },
  },
  {
    name: 'queue',
    what: `2000 async calls for ${KEYS} keys at once`,
    calls: 2000,
    subjects: {
      'Bottleneck.Group': () => (calls) => allAtOnce(calls, inTurnAsync(group())),
      'KeyedLimit.runAsync': () => (calls) => allAtOnce(calls, inTurnAsync(sluiceLimit())),
    },
  },
];
