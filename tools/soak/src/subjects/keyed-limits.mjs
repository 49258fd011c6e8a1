// @ts-check
// Limits and rates for each key: two keys whose running calls are counted, and keys that come and go.
import { hasCode } from '@sluice/core';
import { KeyedLimit, KeyedRateLimiter } from '@sluice/named';
import { Census } from '../census.mjs';
import { nap } from '../words.mjs';
import { ownWords, unless } from './subject.mjs';

/** @import { Guard } from '@sluice/core' */
/** @import { Place, Subject } from './subject.mjs' */

const LIMIT = 'KeyedLimit';
const RATES = 'KeyedRateLimiter';
const CONCURRENCY = 2;
const TOTAL = 3;
/** Percentage of visits to keys of which nearly all are free. */
const PASSING = 20;
const PASSING_KEYS = 200;
/** Permits of a key in each ms. */
const RATE = 4;
const BURST = 20;
const RATED_KEYS = 4;
/** The clocks of two threads differ by so much at most, in ms. */
const CLOCKS_MS = 2;
const ABORT = new Error('aborted by the soak');

/** @param {Place} place @param {unknown} failure */
function countFailure({ count }, failure) {
  if (failure === ABORT) count('aborts');
  else if (hasCode(failure, 'SLUICE_TIMEOUT')) count('timeouts');
  else throw failure;
}

class LimitVisitor {
  #limit;
  #place;
  #counts;

  /** @param {KeyedLimit} limit @param {Place} place */
  constructor(limit, place) {
    this.#limit = limit;
    this.#place = place;
    this.#counts = /** @type {const} */ ([0, 1]).map((side) => new Census(place.words, { ...place, side }));
  }

  async visit() {
    const { random, mayBlock, count } = this.#place;
    count('operations');
    if (random.chance(PASSING)) {
      for (let left = random.between(1, 50); left > 0; left--)
        this.#limit.tryHold(`passing ${random.below(PASSING_KEYS)}`)?.release();
      return;
    }
    const side = random.below(2);
    const key = `counted ${side}`;
    if (random.chance(30)) return this.#burst(side, key);
    const guard = mayBlock
      ? random.chance(50)
        ? this.#limit.hold(key)
        : this.#limit.tryHold(key, random.below(3))
      : await this.#limit.holdAsync(key);
    if (guard !== null) this.#inside(side, guard);
  }

  /** @param {number} side @param {string} key */
  async #burst(side, key) {
    const { random } = this.#place;
    const controller = new AbortController();
    const calls = Array.from({ length: random.between(1, 40) }, async () => {
      const options = random.chance(30) ? { timeout: random.below(4) } : { signal: controller.signal };
      try {
        this.#inside(side, await this.#limit.holdAsync(key, options));
      } catch (failure) {
        countFailure(this.#place, failure);
      }
    });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(ABORT);
    await Promise.all(calls);
  }

  /** @param {number} side @param {Guard} guard */
  #inside(side, guard) {
    const census = this.#counts[side];
    census?.add(1);
    census?.expect(census.total, CONCURRENCY);
    if (this.#place.mayBlock && this.#place.random.chance(10)) nap(this.#place.words, 1);
    census?.remove(1);
    guard.release();
  }
}

class RateVisitor {
  #rates;
  #place;
  #own;

  /** @param {KeyedRateLimiter} rates @param {Place} place */
  constructor(rates, place) {
    this.#rates = rates;
    this.#place = place;
    this.#own = ownWords(place.words, place.subject);
  }

  async visit() {
    const { random, mayBlock, count } = this.#place;
    count('operations');
    if (random.chance(PASSING)) {
      for (let left = random.between(1, 50); left > 0; left--)
        this.#rates.tryAcquire(`passing ${random.below(PASSING_KEYS)}`);
      return;
    }
    const which = random.below(RATED_KEYS);
    const key = `rated ${which}`;
    const n = random.between(1, 3);
    try {
      if (random.chance(40)) {
        if (this.#rates.consume(key, n).taken) this.#use(which, n);
      } else if (mayBlock && random.chance(50)) {
        if (this.#rates.tryAcquire(key, n, random.below(4))) this.#use(which, n);
      } else {
        await this.#rates.acquireAsync(key, n, { timeout: random.below(8) });
        this.#use(which, n);
      }
      if (random.chance(2)) this.#rates.block(key, random.below(3));
      if (random.chance(2)) this.#rates.penalty(key, 2);
    } catch (failure) {
      countFailure(this.#place, failure);
    }
  }

  /** @param {number} which @param {number} n */
  #use(which, n) {
    Atomics.add(this.#own, which, n);
  }
}

/** @type {readonly Subject[]} */
export const KEYED_LIMITS = [
  {
    name: LIMIT,
    group: 'named',
    covers: [LIMIT],
    // The table, and the slots of all keys.
    blocks: 2,
    create: (arena) => {
      const made = KeyedLimit.create({ arena, name: LIMIT, concurrency: CONCURRENCY, total: TOTAL });
      return {
        handles: made.handle,
        problems: () => {
          const { running, waiters, keys } = made.inspect();
          return unless(LIMIT, { running, waiters, keys }, { running: 0, waiters: [], keys: [] });
        },
        free: () => made.free(),
      };
    },
    open: (handles, place) => new LimitVisitor(KeyedLimit.from(/** @type {never} */ (handles)), place),
  },
  {
    name: RATES,
    group: 'named',
    covers: [RATES],
    blocks: 1,
    create: (arena, own) => {
      const began = performance.now();
      const made = KeyedRateLimiter.create({ arena, name: RATES, permits: RATE, interval: 1, burst: BURST });
      return {
        handles: made.handle,
        problems: () => {
          const most = BURST + RATE * (performance.now() - began + CLOCKS_MS);
          const { keys } = made.inspect();
          return [
            ...unless(RATES, keys.filter(({ head, waiters }) => head !== 0 || waiters.length > 0).length, 0),
            ...Array.from({ length: RATED_KEYS }, (_, which) => Atomics.load(own, which)).flatMap((used) =>
              used <= most ? [] : [`${RATES}: ${used} permits were used, and there were ${Math.floor(most)}`],
            ),
          ];
        },
        free: () => made.free(),
      };
    },
    open: (handles, place) => new RateVisitor(KeyedRateLimiter.from(/** @type {never} */ (handles)), place),
  },
];
