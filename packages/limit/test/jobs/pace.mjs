// @ts-check
// Workers that call functions through one limit with an interval, and count in shared memory those that have started.
import { Region } from '@sluice/core';
import { createLimit } from '@sluice/limit';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LimitHandle } from '@sluice/limit' */

/** Words of the region: the number of functions that have started, the number that run, the most that ran at once. */
export const STARTED = 0;
export const RUNNING = 1;
export const MOST = 2;
export const WORDS = 3;

/** @typedef {{ limit: LimitHandle, words: RegionHandle, calls: number }} IntervalData */

/**
 * Makes calls of every kind: some end at once, some wait for the event loop, some are aborted or time out, some have a
 * priority. Returns how many ran.
 * @param {IntervalData} data
 * @param {JobContext} context
 */
export async function pace({ limit: handle, words: region, calls }, { random, pause }) {
  const limit = createLimit.from(handle);
  const words = Region.from(region).int32;
  let ran = 0;
  const body = async () => {
    Atomics.add(words, STARTED, 1);
    const running = Atomics.add(words, RUNNING, 1) + 1;
    if (running > Atomics.load(words, MOST)) Atomics.store(words, MOST, running);
    ran += 1;
    if (random.chance(30)) await pause(0);
    Atomics.sub(words, RUNNING, 1);
  };
  for (let left = calls; left > 0; left -= 20) {
    const ends = Array.from({ length: Math.min(20, left) }, () => {
      if (random.chance(20)) return limit.run(body, { signal: AbortSignal.timeout(random.below(5)) });
      if (random.chance(20)) return limit.run(body, { timeout: random.below(5) });
      return limit.run(body, { priority: random.below(3) });
    });
    for (const end of await Promise.allSettled(ends)) {
      const failure = /** @type {{ reason?: { name: string } }} */ (end).reason;
      if (failure === undefined || failure.name === 'TimeoutError') continue;
      throw new Error('a call failed', { cause: failure });
    }
  }
  return ran;
}

/**
 * Makes calls before any of them can run. All of them must run. Returns their start numbers, counted over all workers.
 * @param {IntervalData} data
 * @param {JobContext} context
 */
export async function queue({ limit: handle, words: region, calls }, { say }) {
  const limit = createLimit.from(handle);
  const words = Region.from(region).int32;
  const ends = Array.from({ length: calls }, () => limit(() => Atomics.add(words, STARTED, 1)));
  say('queued');
  return Promise.all(ends);
}
