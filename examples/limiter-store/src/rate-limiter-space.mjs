// @ts-check
// A limiter of rate-limiter-flexible whose counters are in a space: of the processes of a machine, of Redis or of
// Postgres. A mutex of the key makes each change of its counter one.
import { createRequire } from 'node:module';
import { RateLimiterRes } from 'rate-limiter-flexible';

/** The package declares this class and exports it by its file only. */
const Store = /** @type {typeof import('rate-limiter-flexible').RateLimiterStoreAbstract} */ (
  createRequire(import.meta.url)('rate-limiter-flexible/lib/RateLimiterStoreAbstract.js')
);

/** The longest time for which a cache keeps a value, in ms: 30 days. A counter without an end stays that long. */
const LONGEST_MS = 2_592_000_000;

/** @typedef {{ points: number, until: number | null }} Counter `until`: its end in ms since 1970 */

export class RateLimiterSpace extends Store {
  /** @type {import('@sluice/local').RemoteKeyedMutex} */
  #locks;
  /** @type {import('@sluice/local').RemoteCache<Counter>} */
  #counters;

  /**
   * @param {Omit<import('rate-limiter-flexible').IRateLimiterStoreOptions, 'storeClient'> & { storeClient: import('@sluice/local').Space }} options
   *   `storeClient`: the space
   */
  constructor(options) {
    super(options);
    const name = `limiter ${options.keyPrefix ?? 'rlflx'}`;
    this.#locks = options.storeClient.keyedMutex(name);
    this.#counters = options.storeClient.cache(name);
  }

  /** @param {string} key @returns {Promise<Counter | null>} */
  async _get(key) {
    const found = await this.#counters.peek(key);
    return found === undefined || (found.until !== null && found.until <= Date.now()) ? null : found;
  }

  /** @param {string} key @param {number} points @param {number} ms @param {boolean} [force] */
  _upsert(key, points, ms, force = false) {
    return this.#locks.runAsync(key, async (guard) => {
      const found = force ? null : await this._get(key);
      const until = ms > 0 ? Date.now() + ms : null;
      const next = found === null ? { points, until } : { points: found.points + points, until: found.until };
      // After a pause that is longer than the lease another process may have changed the counter.
      guard.assertHeld();
      const left = next.until === null ? LONGEST_MS : next.until - Date.now();
      await this.#counters.set(key, next, { ttl: Math.min(LONGEST_MS, Math.max(1, Math.ceil(left))) });
      return next;
    });
  }

  /** @param {string} key */
  _delete(key) {
    return this.#locks.runAsync(key, () => this.#counters.delete(key));
  }

  /** @param {string} _key @param {number} changed @param {Counter} counter */
  _getRateLimiterRes(_key, changed, { points, until }) {
    const left = until === null ? -1 : Math.max(0, until - Date.now());
    return new RateLimiterRes(Math.max(0, this.points - points), left, points, points === changed);
  }
}
