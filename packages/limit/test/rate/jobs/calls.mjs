// @ts-check Workers that take permits of one rate limiter in every way, and count in shared memory how many they took.
import { Region } from '@sluice/core';
import { RateLimiter } from '@sluice/limit';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { RateLimiterHandle } from '@sluice/limit' */

/** Words of the region: the number of permits taken. */
export const TAKEN = 0;
export const WORDS = 1;

/** @typedef {'blocking' | 'patient' | 'async' | 'tries' | 'books' | 'mixed'} Way */
/**
 * @typedef {{ limiter: RateLimiterHandle, words: RegionHandle, calls: number, burst: number, ways: Way[] }} CallData
 */

/** @param {number} ms */
function nap(ms) {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * @param {RateLimiter} limiter @param {Way} way @param {number} weight @param {JobContext['random']} random
 * @returns {Promise<boolean>} whether it took the permits
 */
async function call(limiter, way, weight, random) {
  switch (way) {
    case 'blocking':
      limiter.acquire(weight);
      return true;
    case 'patient':
      return limiter.tryAcquire(weight, random.below(20) / 10);
    case 'async': {
      const signal = random.chance(30) ? AbortSignal.timeout(random.below(3)) : undefined;
      return limiter.acquireAsync(weight, { signal }).then(
        () => true,
        () => false,
      );
    }
    case 'tries':
      return limiter.tryAcquire(weight);
    case 'books': {
      const booking = await limiter.reserveAsync(weight);
      if (random.chance(50) && booking.cancel()) return false;
      nap(booking.remaining);
      return true;
    }
    default:
      return call(limiter, random.pick(['blocking', 'patient', 'async', 'tries', 'books']), weight, random);
  }
}

/** @param {CallData} data @param {JobContext} context */
export async function take({ limiter: handle, words: region, calls, burst, ways }, { index, random }) {
  const limiter = RateLimiter.from(handle);
  const words = Region.from(region).int32;
  const way = ways[index % ways.length] ?? 'mixed';
  let taken = 0;
  for (let done = 0; done < calls; done++) {
    const weight = random.between(1, burst);
    if (!(await call(limiter, way, weight, random))) continue;
    taken += weight;
    Atomics.add(words, TAKEN, weight);
  }
  return taken;
}

/** Waits in line until the limiter is closed. Returns the code of the error. @param {CallData} data */
export function queue({ limiter: handle }) {
  try {
    RateLimiter.from(handle).acquire();
    return 'taken';
  } catch (failure) {
    return /** @type {{ code?: string }} */ (failure).code;
  }
}
