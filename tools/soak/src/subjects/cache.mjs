// @ts-check
// The cache: each value is that of its key and whole, one thread computes a key at a time, and no chunk is lost.
import { SharedCache } from '@sluice/cache';
import { Census } from '../census.mjs';
import { unless } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const KEYS = 60;
const MAX_BYTES = 65_536;
const ABORT = new Error('aborted by the soak');

class CacheVisitor {
  #cache;
  #place;
  #census;

  /** @param {SharedCache<Uint8Array>} cache @param {Place} place */
  constructor(cache, place) {
    this.#cache = cache;
    this.#place = place;
    this.#census = new Census(place.words, place);
  }

  async visit() {
    const { random, mayBlock } = this.#place;
    for (let left = random.between(1, 30); left > 0; left--) {
      this.#place.count('operations');
      const key = random.below(KEYS);
      const how = random.below(12);
      if (how === 0) this.#cache.set(`${key}`, this.#valueOf(key));
      else if (how === 1) this.#cache.delete(`${key}`);
      else if (how === 2 && random.chance(2)) this.#cache.clear();
      else if (how < 5 || !mayBlock) await this.#getAsync(key, random.chance(20));
      else if (how < 7)
        this.#check(
          this.#cache.tryGet(`${key}`, () => this.#compute(key), random.below(3)),
          key,
        );
      else
        this.#check(
          this.#cache.get(`${key}`, () => this.#compute(key)),
          key,
        );
    }
  }

  /** @param {number} key @param {boolean} givesUp */
  async #getAsync(key, givesUp) {
    const controller = new AbortController();
    const wait = this.#cache.getAsync(`${key}`, () => this.#compute(key), { signal: controller.signal });
    if (givesUp) controller.abort(ABORT);
    try {
      this.#check(await wait, key);
    } catch (failure) {
      if (failure !== ABORT) throw failure;
      this.#place.count('aborts');
    }
  }

  /** Key 0 is counted: one thread computes it at a time. @param {number} key */
  #compute(key) {
    if (key !== 0) return this.#valueOf(key);
    this.#census.add(1);
    this.#census.expect(this.#census.total, 1);
    const value = this.#valueOf(key);
    this.#census.remove(1);
    return value;
  }

  /** @param {number} key */
  #valueOf(key) {
    return new Uint8Array(this.#place.random.pick([1, 100, 1000, 5000])).fill(key);
  }

  /** @param {Uint8Array | undefined} value @param {number} key */
  #check(value, key) {
    if (value?.some((byte) => byte !== key) === true) throw new Error(`a value of key ${key} is torn`);
  }
}

/** @type {Subject} */
export const CACHE = {
  name: 'SharedCache',
  group: 'cache',
  covers: ['SharedCache'],
  blocks: 1,
  create: (arena) => {
    const made = SharedCache.create({ arena, name: 'SharedCache', codec: 'bytes', maxBytes: MAX_BYTES });
    return {
      handles: made.handle,
      problems: () => {
        const { computing } = made.inspect();
        for (let key = 0; key < KEYS; key++) made.delete(`${key}`);
        const { entries, bytes } = made.statistics();
        return unless('SharedCache', [computing.length, entries, bytes], [0, 0, 0]);
      },
      free: () => made.free(),
    };
  },
  open: (handles, place) => new CacheVisitor(SharedCache.from(/** @type {never} */ (handles)), place),
};
