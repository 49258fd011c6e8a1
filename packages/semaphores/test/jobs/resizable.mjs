// @ts-check
// A storm at a resizable semaphore. Acquires permits in all ways until the word STOP is set. Meanwhile it changes the
// size and cancels waiters.
import { hasCode } from '@sluice/core';
import { ResizableSemaphore } from '@sluice/semaphores';

/** @import { ResizableHandle } from '@sluice/semaphores' */
/** @import { JobContext } from '@sluice/harness' */

export const STOP = 0;
export const CALLS = 1;
export const INSIDE = 2;
export const MOST = 3;
export const CANCELLED = 4;
export const SEEN = 5;
/** The maximum size. */
export const LARGEST = 4;

/** @typedef {{ handle: ResizableHandle, words: Int32Array }} ResizableData */

/** @param {ResizableData} data @param {JobContext} context */
export async function visit({ handle, words }, { random, say }) {
  const sem = ResizableSemaphore.from(handle);
  /** @param {number} permits @param {() => unknown} call */
  const take = async (permits, call) => ((await call()) === false ? 0 : permits);
  const ways = [
    () => take(1, () => sem.acquire()),
    () => take(2, () => sem.acquire(2)),
    () => take(2, () => sem.tryAcquire(2, random.below(3))),
    () => take(1, () => sem.tryAcquire()),
    () => take(2, () => sem.acquireAsync(2)),
    () => take(2, () => sem.acquireAsync(2, { timeout: random.below(3) })),
    () => take(4, () => sem.acquireAsync(4, { timeout: random.below(3) })),
    // A wait that is never served: it releases what it has collected each time.
    () => take(LARGEST + 1, () => sem.tryAcquire(LARGEST + 1, random.below(3))),
    () => (sem.waitForUnlock(1, random.below(3)) && Atomics.add(words, SEEN, 1), 0),
    () => (sem.resize(2 + random.below(LARGEST - 1)), 0),
    () => (random.chance(30) && sem.cancelWaiters(random.below(9)), 0),
  ];
  say('ready');
  while (Atomics.load(words, STOP) === 0) {
    const taken = await entered(() => random.pick(ways)());
    if (taken === 0) continue;
    const inside = Atomics.add(words, INSIDE, taken) + taken;
    if (inside > Atomics.load(words, MOST)) Atomics.store(words, MOST, inside);
    for (let looks = random.below(200); looks > 0; looks--) Atomics.load(words, STOP);
    Atomics.add(words, CALLS, 1);
    Atomics.sub(words, INSIDE, taken);
    if (taken === 1 || random.chance(50)) sem.release(taken);
    else for (let left = taken; left > 0; left--) sem.release();
  }

  /** @param {() => number | Promise<number>} way */
  async function entered(way) {
    try {
      return await way();
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_CANCELLED')) Atomics.add(words, CANCELLED, 1);
      else if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
      return 0;
    }
  }
}
