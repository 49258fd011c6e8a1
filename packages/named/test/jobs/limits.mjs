// @ts-check
// A worker that runs through a keyed limit and takes permits of a keyed rate limiter.
import { Region } from '@sluice/core';
import { Random } from '../../../../tools/harness/src/random.mjs';
import { KeyedLimit, KeyedRateLimiter } from '@sluice/named';
import { workerData } from 'node:worker_threads';

export const LIMIT_KEYS = 6;
/** A word for all keys, one for each key, the largest count seen of either, and the permits taken. */
export const MOST_OF_ALL = LIMIT_KEYS + 1;
export const MOST_OF_A_KEY = LIMIT_KEYS + 2;
export const PERMITS_TAKEN = LIMIT_KEYS + 3;
export const WORDS = LIMIT_KEYS + 4;

/**
 * @typedef {{ limit: import('@sluice/named').KeyedLimitHandle, rates: import('@sluice/named').KeyedRateLimiterHandle,
 *   words: import('@sluice/core').RegionHandle, rounds: number, seed: number, isKilled: boolean }} LimitsData
 */

/** @param {Int32Array} words @param {number} at @param {number} value */
function raise(words, at, value) {
  for (let seen = Atomics.load(words, at); seen < value; seen = Atomics.load(words, at))
    if (Atomics.compareExchange(words, at, seen, value) === seen) return;
}

/** @param {LimitsData} data */
export async function use({ limit: handle, rates: rated, words: region, rounds, seed, isKilled }) {
  const limit = KeyedLimit.from(handle);
  const rates = KeyedRateLimiter.from(rated);
  const words = Region.from(region).int32;
  const random = new Random(seed);
  for (let round = 0; round < rounds; round++) {
    const which = random.below(LIMIT_KEYS);
    const key = `key ${which}`;
    const how = random.below(4);
    const guard =
      how === 0
        ? await limit.holdAsync(key)
        : how === 1
          ? await limit.holdAsync(key, { timeout: 1 }).catch(() => null)
          : how === 2
            ? limit.tryHold(key, 0.05)
            : limit.hold(key);
    // A worker that is killed would leave these counts, so then the slots themselves are the proof.
    if (guard !== null && !isKilled) {
      raise(words, MOST_OF_ALL, Atomics.add(words, LIMIT_KEYS, 1) + 1);
      raise(words, MOST_OF_A_KEY, Atomics.add(words, which, 1) + 1);
      Atomics.sub(words, which, 1);
      Atomics.sub(words, LIMIT_KEYS, 1);
    }
    if (isKilled) Atomics.add(words, LIMIT_KEYS, 1);
    guard?.release();
    if (random.below(4) === 0 && rates.tryAcquire(key, 1, how === 3 ? 1 : 0)) Atomics.add(words, PERMITS_TAKEN, 1);
    if (random.below(64) === 0) await rates.acquireAsync(key).then(() => Atomics.add(words, PERMITS_TAKEN, 1));
  }
}

if (workerData !== null && typeof workerData === 'object' && 'limit' in workerData)
  void use(/** @type {LimitsData} */ (workerData));
