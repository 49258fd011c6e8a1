// @ts-check Workers that call functions through one adaptive limit that also sheds calls.
import { Region } from '@sluice/core';
import { createLimit } from '@sluice/limit';
import { begin, end } from './share.mjs';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { LimitHandle } from '@sluice/limit' */

/** @typedef {{ limit: LimitHandle, words: RegionHandle, calls: number }} AdaptiveData */

/**
 * Makes calls of every kind: some end at once, some wait for the event loop, some are aborted, time out, throw, or say
 * that the server is overloaded. Returns how many ran and how many were shed.
 * @param {AdaptiveData} data
 * @param {JobContext} context
 */
export async function adapt({ limit: handle, words: region, calls }, { random, pause }) {
  const limit = createLimit.from(handle, { isOverload: (error) => String(error).includes('overload') });
  const words = Region.from(region).int32;
  let ran = 0;
  let shed = 0;
  const body = async () => {
    begin(words);
    if (random.chance(30)) await pause(0);
    else if (random.chance(50)) await Promise.resolve();
    ran += 1;
    end(words);
    if (random.chance(5)) throw new Error('thrown');
    if (random.chance(5)) throw new Error('thrown: overload');
  };
  for (let left = calls; left > 0; left -= 20) {
    const ends = Array.from({ length: Math.min(20, left) }, () => {
      if (random.chance(10)) return limit.run(body, { signal: AbortSignal.timeout(random.below(3)) });
      if (random.chance(10)) return limit.run(body, { timeout: random.below(3) });
      return limit.run(body, { priority: random.below(3) });
    });
    for (const end of await Promise.allSettled(ends)) {
      const failure = /** @type {{ reason?: { name: string, message: string } }} */ (end).reason;
      if (failure?.name === 'OverloadedError') shed += 1;
      else if (failure !== undefined && !failure.message.startsWith('thrown') && failure.name !== 'TimeoutError')
        throw new Error('a call failed', { cause: failure });
    }
  }
  return { ran, shed };
}
