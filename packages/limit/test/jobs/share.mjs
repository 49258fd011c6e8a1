// @ts-check Workers that call functions through one limit, and count in shared memory those that run.
import { Region } from '@sluice/core';
import { createLimit } from '@sluice/limit';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LimitHandle } from '@sluice/limit' */

/**
 * Words of the region: the number of functions that run, the most that ran at once, the number of calls that have run.
 */
export const RUNNING = 0;
export const MOST = 1;
export const RAN = 2;
export const WORDS = 3;

/** @typedef {{ limit: LimitHandle, words: RegionHandle, calls: number }} ShareData */

/**
 * Counts a function that begins, and updates the most that ran at once.
 * @param {Int32Array} words
 */
export function begin(words) {
  const running = Atomics.add(words, RUNNING, 1) + 1;
  for (let most = Atomics.load(words, MOST); running > most; ) {
    const found = Atomics.compareExchange(words, MOST, most, running);
    if (found === most) break;
    most = found;
  }
}

/** @param {Int32Array} words */
export function end(words) {
  Atomics.sub(words, RUNNING, 1);
  Atomics.add(words, RAN, 1);
}

/**
 * Makes calls of every kind: some end at once, some wait for the event loop, some are aborted, time out or throw.
 * Returns how many ran.
 * @param {ShareData} data
 * @param {JobContext} context
 */
export async function share({ limit: handle, words: region, calls }, { random, pause }) {
  const limit = createLimit.from(handle);
  const words = Region.from(region).int32;
  let ran = 0;
  const body = async () => {
    begin(words);
    if (random.chance(30)) await pause(0);
    else if (random.chance(50)) await Promise.resolve();
    ran += 1;
    end(words);
    if (random.chance(10)) throw new Error('thrown');
  };
  for (let left = calls; left > 0; left -= 20) {
    const ends = Array.from({ length: Math.min(20, left) }, () => {
      if (random.chance(20)) return limit.run(body, { signal: AbortSignal.timeout(random.below(3)) });
      if (random.chance(20)) return limit.run(body, { timeout: random.below(3) });
      return limit(body);
    });
    for (const end of await Promise.allSettled(ends)) {
      const failure = /** @type {{ reason?: { name: string, message: string } }} */ (end).reason;
      if (failure === undefined || failure.message === 'thrown' || failure.name === 'TimeoutError') continue;
      throw new Error('a call failed', { cause: failure });
    }
  }
  return ran;
}

/**
 * Makes calls before any of them can run. All of them must run. Returns their start numbers, counted over all workers.
 * @param {ShareData} data
 * @param {JobContext} context
 */
export async function queue({ limit: handle, words: region, calls }, { random, pause, say }) {
  const limit = createLimit.from(handle);
  const words = Region.from(region).int32;
  /** @type {Promise<number>[]} */
  const ends = [];
  for (let call = 0; call < calls; call++) {
    ends.push(limit(() => Atomics.add(words, RAN, 1)));
    if (random.chance(20)) await pause(0);
  }
  say('queued');
  return Promise.all(ends);
}

/**
 * Keeps setting the concurrency while it makes calls.
 * @param {ShareData & { most: number }} data
 * @param {JobContext} context
 */
export async function resize({ limit: handle, words: region, calls, most }, { random, pause }) {
  const limit = createLimit.from(handle);
  const words = Region.from(region).int32;
  const body = async () => {
    begin(words);
    if (random.chance(30)) await pause(0);
    end(words);
  };
  for (let left = calls; left > 0; left -= 10) {
    const ends = Array.from({ length: Math.min(10, left) }, () => limit(body));
    limit.concurrency = 1 + random.below(most);
    await pause(0);
    limit.concurrency = 1 + random.below(most);
    await Promise.all(ends);
  }
}

/**
 * Fills its share of slots with functions that never end, and makes further calls that wait.
 * @param {ShareData} data
 * @param {JobContext} context
 */
export async function hang({ limit: handle, words: region, calls }, { say }) {
  const limit = createLimit.from(handle);
  const words = Region.from(region).int32;
  for (let call = 0; call < calls; call++) {
    void limit(() => {
      begin(words);
      return new Promise(() => undefined);
    });
  }
  say('hangs');
  // Keeps the worker from ending by itself, whether or not it has slots.
  await new Promise((resolve) => setTimeout(resolve, 2 ** 30));
}
