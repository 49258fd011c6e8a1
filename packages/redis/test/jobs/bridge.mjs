// @ts-check
// The jobs of workers at a bridge.
import { Region } from '@sluice/core';
import { BridgedSemaphore } from '@sluice/redis';

/** Words of the region. */
export const INSIDE = 0;
export const MOST = 1;
export const PASSES = 2;

/**
 * @typedef {object} BridgeData
 * @property {import('@sluice/redis').BridgeHandle} bridge
 * @property {import('@sluice/core').RegionHandle} words
 * @property {number} rounds
 */

/**
 * Acquires by a blocking call and by an async call in turn, and counts the simultaneous holders.
 * @param {BridgeData} data
 * @param {import('@sluice/harness').JobContext} context
 */
export async function pass({ bridge, words, rounds }, { random }) {
  const semaphore = BridgedSemaphore.from(bridge);
  const counts = Region.from(words).int32;
  for (let i = 0; i < rounds; i++) {
    const way = random.below(3);
    if (way === 0) semaphore.acquire();
    else if (way === 1) await semaphore.acquireAsync();
    else if (!semaphore.tryAcquire(1, random.between(1, 20))) continue;
    semaphore.assertHeld();
    const inside = Atomics.add(counts, INSIDE, 1) + 1;
    if (inside > Atomics.load(counts, MOST)) Atomics.store(counts, MOST, inside);
    Atomics.add(counts, PASSES, 1);
    if (random.chance(30)) await new Promise((resolve) => setTimeout(resolve, 1));
    Atomics.sub(counts, INSIDE, 1);
    semaphore.release();
  }
  return rounds;
}

/**
 * Acquires a permit and never releases it.
 * @param {BridgeData} data
 * @param {import('@sluice/harness').JobContext} context
 */
export function take({ bridge }, { say }) {
  BridgedSemaphore.from(bridge).acquire();
  say('taken');
  return new Promise(() => undefined);
}
