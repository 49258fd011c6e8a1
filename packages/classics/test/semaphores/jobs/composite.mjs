// @ts-check A storm at a lightweight, a multilane or a priority semaphore: takes permits in all ways until the word
// STOP is set. Counts the agents inside.
import { LightweightSemaphore, MultilaneSemaphore } from '@sluice/classics';
import { PrioritySemaphore } from '@sluice/semaphores';

/** @import { FamilyHandle } from '@sluice/classics' */
/** @import { PriorityHandle } from '@sluice/semaphores' */
/** @import { JobContext } from '@sluice/harness' */

export const STOP = 0;
export const CALLS = 1;
export const INSIDE = 2;
export const MOST = 3;

/**
 * @typedef {{ kind: 'light' | 'lanes' | 'levels', handle: FamilyHandle | PriorityHandle, words: Int32Array }}
 *   CompositeData
 */

/** @param {CompositeData} data @param {JobContext} context */
export async function visit({ kind, handle, words }, { random, say }) {
  const light = kind === 'light' ? LightweightSemaphore.from(/** @type {FamilyHandle} */ (handle)) : undefined;
  const levels = kind === 'levels' ? PrioritySemaphore.from(/** @type {PriorityHandle} */ (handle)) : undefined;
  const sem = light ?? levels ?? MultilaneSemaphore.from(/** @type {FamilyHandle} */ (handle));
  const ways = [
    () => (sem.acquire(), 1),
    () => Number(sem.tryAcquire()),
    () => Number(sem.tryAcquire(1, random.below(3))),
    () => sem.acquireAsync().then(() => 1),
    () =>
      sem.acquireAsync(1, { timeout: random.below(3) }).then(
        () => 1,
        () => 0,
      ),
    ...(light === undefined ? [] : [() => light.waitMany(3), () => light.waitManyAsync(2), () => light.tryWaitMany(2)]),
    ...(levels === undefined
      ? []
      : [
          () => (levels.acquire(1, random.below(8)), 1),
          () => Number(levels.tryAcquire(1, random.below(3), random.below(8))),
          () => levels.acquireAsync(1, { priority: random.below(8) }).then(() => 1),
          () =>
            levels.acquireAsync(1, { priority: random.below(8), timeout: random.below(3) }).then(
              () => 1,
              () => 0,
            ),
        ]),
  ];
  say('ready');
  while (Atomics.load(words, STOP) === 0) {
    const taken = await random.pick(ways)();
    if (taken === 0) continue;
    const inside = Atomics.add(words, INSIDE, taken) + taken;
    if (inside > Atomics.load(words, MOST)) Atomics.store(words, MOST, inside);
    for (let looks = random.below(200); looks > 0; looks--) Atomics.load(words, STOP);
    Atomics.add(words, CALLS, 1);
    Atomics.sub(words, INSIDE, taken);
    sem.release(taken);
  }
}
