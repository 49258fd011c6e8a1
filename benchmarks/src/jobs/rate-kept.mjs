// @ts-check
// The share of its rate that a limiter with `burst: 1` lets through, while there is always a call that wants a permit.
import { RateLimiter } from '@sluice/limit';
import { main } from '../lib/jobs.mjs';

/** @typedef {'together' | 'one by one' | 'blocking'} Callers */
/** @typedef {{ perSecond: number, callers: Callers, seconds: number }} RateKeptSpecification */

/**
 * `excess`: the most permits that a window had beyond 1 + its length · rate.
 * @typedef {{ share: number, excess: number }} RateKeptResult
 */

/** Windows of up to so many permits are looked at. */
const LONGEST_WINDOW = 200;

/**
 * `begin` starts the clock: for calls that all wait, after they are made. A thread that makes thousands of calls stands
 * still meanwhile, and the limiter makes up for 5 ms of that.
 * @type {Record<Callers, (limiter: RateLimiter, calls: number, note: () => void, begin: () => void) => unknown>}
 */
const CALLERS = {
  together: (limiter, calls, note, begin) => {
    const all = Array.from({ length: calls }, () => limiter.acquireAsync().then(note));
    begin();
    return Promise.all(all);
  },
  'one by one': async (limiter, calls, note) => {
    for (let call = 0; call < calls; call++) {
      await limiter.acquireAsync();
      note();
    }
  },
  blocking: (limiter, calls, note) => {
    for (let call = 0; call < calls; call++) {
      limiter.acquire();
      note();
    }
  },
};

/** @param {readonly number[]} times @param {number} perMs */
function excessOf(times, perMs) {
  let most = 0;
  for (const [first, from] of times.entries()) {
    const window = times.slice(first, first + LONGEST_WINDOW);
    for (const [n, to] of window.entries()) most = Math.max(most, n - (to - from) * perMs);
  }
  return most;
}

await main(async (/** @type {RateKeptSpecification} */ { perSecond, callers, seconds }) => {
  const limiter = RateLimiter.create({ permits: perSecond, interval: 1000, burst: 1 });
  const calls = Math.max(1, Math.round(perSecond * seconds));
  /** @type {number[]} */
  const times = [];
  limiter.acquire();
  let began = performance.now();
  const begin = () => {
    began = performance.now();
  };
  await CALLERS[callers](limiter, calls, () => void times.push(performance.now()), begin);
  const took = performance.now() - began;
  return { share: (calls / took / perSecond) * 1000, excess: excessOf(times, perSecond / 1000) };
});
