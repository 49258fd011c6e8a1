// @ts-check
// The rate limiter: over all threads, no more permits than the rate allows.
import { hasCode } from '@sluice/core';
import { RateLimiter } from '@sluice/limit';
import { nap } from '../words.mjs';
import { ownWords, unless, visitorOf } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'RateLimiter';
/** Permits in each ms. */
const RATE = 20;
const BURST = 50;
const MOST = 3;
/** Of its own words: the permits that were used. */
const USED = 0;
/** The clocks of two threads differ by so much at most, in ms. */
const CLOCKS_MS = 2;

/**
 * Books permits, and gives them back, or returns how many there are when their time has come.
 * @param {RateLimiter} limiter
 * @param {Place} place
 */
function book(limiter, { random, words, count }) {
  const n = random.between(1, MOST);
  try {
    const booking = limiter.reserve(n);
    if (random.chance(50) && booking.cancel()) return 0;
    nap(words, booking.delay);
    return n;
  } catch (failure) {
    if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
    count('closed');
    return 0;
  }
}

/** @type {Subject} */
export const RATE_LIMITER = {
  name: NAME,
  group: 'rate-limit',
  covers: [NAME],
  blocks: 1,
  create: (arena, own) => {
    const began = performance.now();
    const made = RateLimiter.create({ arena, name: NAME, permits: RATE, interval: 1, burst: BURST });
    return {
      handles: made.handle,
      problems: () => {
        const used = Atomics.load(own, USED);
        const most = BURST + RATE * (performance.now() - began + CLOCKS_MS);
        const { state, head, waiters } = made.inspect();
        const problems = unless(NAME, { state, head, waiters }, { state: 'open', waiters: [] });
        return used <= most
          ? problems
          : [...problems, `${NAME}: ${used} permits were used, and there were ${Math.floor(most)}`];
      },
      close: () => made.close(),
      free: () => made.free(),
    };
  },
  open: (handles, place) => {
    const limiter = RateLimiter.from(/** @type {never} */ (handles));
    const own = ownWords(place.words, place.subject);
    const use = (/** @type {number} */ n) => void Atomics.add(own, USED, n);
    return visitorOf(
      {
        enter: (n) => limiter.acquire(n),
        tryEnter: (n, timeoutMs) => limiter.tryAcquire(n, timeoutMs),
        enterAsync: (n, options) => limiter.acquireAsync(n, options),
        leave: () => undefined,
        begin: use,
        end: () => undefined,
        most: MOST,
        ...(place.mayBlock ? { extra: () => use(book(limiter, place)) } : {}),
      },
      place,
    );
  },
};
