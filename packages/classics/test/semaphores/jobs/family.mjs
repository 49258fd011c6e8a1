// @ts-check A storm at a semaphore of the family: takes permits in all ways until the word STOP is set. Counts the
// agents inside.
import * as family from '@sluice/classics';

/** @import { FamilyHandle } from '@sluice/classics' */
/** @import { JobContext } from '@sluice/harness' */

export const STOP = 0;
export const CALLS = 1;
export const INSIDE = 2;
export const MOST = 3;
export const SERVED = 4;

/**
 * @typedef {'TicketSemaphore' | 'WaitingArraySemaphore' | 'ChainSemaphore' | 'MonitorSemaphore' | 'LocationSemaphore' |
 *   'AddressSemaphore'} MemberName
 */
/** @typedef {{ member: MemberName, handle: FamilyHandle, words: Int32Array, most: number }} FamilyData */

/** @param {FamilyData} data @param {JobContext} context */
export async function visit({ member, handle, words, most }, { random, say }) {
  const sem = family[member].from(handle);
  /** @type {((count: number) => boolean | Promise<boolean>)[]} */
  const ways = [
    (count) => (sem.acquire(count), true),
    (count) => sem.tryAcquire(count),
    (count) => sem.tryAcquire(count, random.below(3)),
    (count) => sem.acquireAsync(count).then(() => true),
    (count) =>
      sem.acquireAsync(count, { timeout: random.below(3) }).then(
        () => true,
        () => false,
      ),
  ];
  say('ready');
  while (Atomics.load(words, STOP) === 0) {
    const count = random.between(1, most);
    if (!(await random.pick(ways)(count))) continue;
    const inside = Atomics.add(words, INSIDE, count) + count;
    if (inside > Atomics.load(words, MOST)) Atomics.store(words, MOST, inside);
    for (let looks = random.below(200); looks > 0; looks--) Atomics.load(words, STOP);
    Atomics.add(words, CALLS, 1);
    Atomics.sub(words, INSIDE, count);
    sem.release(count);
  }
}

/** Waits once, and records the order in which it was served. @param {FamilyData} data @param {JobContext} context */
export function queueUp({ member, handle, words }, { say, index }) {
  const sem = family[member].from(handle);
  say('ready');
  Atomics.wait(words, STOP, 0);
  // One after another: each begins when the previous one is queued.
  while (Atomics.load(words, CALLS) !== index) Atomics.wait(words, CALLS, Atomics.load(words, CALLS), 1);
  say('begins');
  sem.acquire();
  const place = Atomics.add(words, SERVED, 1);
  sem.release();
  return place;
}
