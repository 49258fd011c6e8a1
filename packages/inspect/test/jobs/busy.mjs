// @ts-check
// A worker that takes locks and permits in one order, in every form, until it is told to stop.
import { Region, Semaphore } from '@sluice/core';
import { Mutex } from '@sluice/mutex';

/** @import { RegionHandle, SemaphoreHandle } from '@sluice/core' */
/** @import { MutexHandle } from '@sluice/mutex' */
/** @import { JobContext } from '@sluice/harness' */
/** @typedef {{ locks: readonly MutexHandle[], permits: SemaphoreHandle, stop: RegionHandle }} BusyData */

/**
 * Returns the number of rounds.
 * @param {BusyData} data
 * @param {JobContext} context
 */
export async function work({ locks: handles, permits: handle, stop: region }, { random }) {
  const locks = handles.map((each) => Mutex.from(each));
  const permits = Semaphore.from(handle);
  const stop = Region.from(region).int32;
  let rounds = 0;
  do {
    const [one, other] = [random.below(locks.length), random.below(locks.length)].sort((a, b) => a - b);
    const [first, second] = [locks[one ?? 0], one === other ? undefined : locks[other ?? 0]];
    if (random.below(3) === 0)
      await first?.runAsync(async () => {
        await permits.acquireAsync();
        permits.release();
      });
    else
      first?.run(() => {
        second?.run(() => {
          permits.acquire();
          permits.release();
        });
      });
    rounds += 1;
  } while (Atomics.load(stop, 0) === 0);
  return rounds;
}
