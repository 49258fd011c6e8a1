// @ts-check
// Other jobs of workers in the stress tests. The main thread runs some of them, too.
import { Arena, Region, Semaphore } from '@sluice/core';

/** @import { ArenaHandle, RegionHandle, SemaphoreHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */

/**
 * Waits until it is admitted or the semaphore is closed. Returns how it was admitted, or the code of the error.
 * @param {{ semaphore: SemaphoreHandle, permits: number, way: 'blocking' | 'async' | 'timed' }} data
 */
export async function waitForTheEnd({ semaphore, permits, way }) {
  const sem = Semaphore.from(semaphore);
  try {
    if (way === 'async') await sem.acquireAsync(permits);
    else if (way === 'blocking') sem.acquire(permits);
    else if (!sem.tryAcquire(permits, 60_000)) return 'timed out';
    return 'admitted';
  } catch (error) {
    return /** @type {{ code?: string }} */ (error).code;
  }
}

/**
 * Adds 1 to every word of a region repeatedly, with plain reads and writes under the only permit.
 * @param {{ semaphore: SemaphoreHandle, tally: RegionHandle, rounds: number, way: 'blocking' | 'async' | 'mixed' }}
 *   data
 * @param {JobContext} context
 */
export async function count({ semaphore, tally, rounds, way }, { random }) {
  const sem = Semaphore.from(semaphore);
  const words = Region.from(tally).int32;
  const add = () => {
    const first = words[0] ?? 0;
    for (let at = 0; at < words.length; at++) {
      if (words[at] !== first) throw new Error(`word ${at} is ${words[at]} where word 0 is ${first}`);
      words[at] = first + 1;
    }
  };
  for (let round = 0; round < rounds; round++) {
    if (way === 'async' || (way === 'mixed' && random.chance(50))) await sem.runAsync(add);
    else sem.run(add);
  }
}

/**
 * Counts its own turns and the turns of all workers, with plain writes under the only permit, until the word
 * `counter[0]` is not 0.
 * @param {{ semaphore: SemaphoreHandle, counter: RegionHandle }} data
 * @param {JobContext} context
 */
export function takeTurns({ semaphore, counter }, { say }) {
  const sem = Semaphore.from(semaphore);
  const words = Region.from(counter).int32;
  let turns = 0;
  say('ready');
  while (Atomics.load(words, 0) === 0) {
    sem.acquire();
    words[1] = (words[1] ?? 0) + 1;
    turns += 1;
    // Sleep with the permit, so that a line forms.
    if (turns % 100 === 0) Atomics.wait(words, 0, 0, 0.1);
    sem.release();
  }
  return turns;
}

/**
 * Takes messages out of a ring of plain words. `filled` counts the messages, `empty` the free places.
 * @param {{ filled: SemaphoreHandle, empty: SemaphoreHandle, ring: RegionHandle, rounds: number }} data
 */
export function consume({ filled, empty, ring, rounds }) {
  const [full, free] = [Semaphore.from(filled), Semaphore.from(empty)];
  const words = Region.from(ring).float64;
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    full.acquire();
    const value = words[round % words.length] ?? Number.NaN;
    if (value !== round) throw new Error(`message ${round} is ${value}`);
    sum += value;
    free.release();
  }
  return sum;
}

/** @param {{ filled: SemaphoreHandle, empty: SemaphoreHandle, ring: RegionHandle, rounds: number }} data */
export function produce({ filled, empty, ring, rounds }) {
  const [full, free] = [Semaphore.from(filled), Semaphore.from(empty)];
  const words = Region.from(ring).float64;
  for (let round = 0; round < rounds; round++) {
    free.acquire();
    words[round % words.length] = round;
    full.release();
  }
}

/**
 * Allocates until the arena is full. Begins when all workers are at the start.
 * @param {{ arena: ArenaHandle, start: SemaphoreHandle, bytes: number }} data
 * @param {JobContext} context
 */
export function allocate({ arena, start, bytes }, { say }) {
  const place = Arena.from(arena);
  const begin = Semaphore.from(start);
  say('ready');
  begin.acquire();
  const regions = [];
  try {
    for (;;) regions.push(Region.create(bytes, { arena: place }));
  } catch (error) {
    const { code } = /** @type {{ code?: string }} */ (error);
    const { used, pages } = place.inspect();
    return { code, used, pages, addresses: regions.map(({ handle }) => handle.address) };
  }
}

/**
 * Begins many waits at once, so that the pool of elements has to grow.
 * @param {{ semaphore: SemaphoreHandle, waits: number }} data
 * @param {JobContext} context
 */
export async function waitManyTimes({ semaphore, waits }, { say }) {
  const sem = Semaphore.from(semaphore);
  const all = Array.from({ length: waits }, () => sem.acquireAsync());
  say('waits');
  await Promise.all(all);
  return waits;
}

/**
 * Opens a handle repeatedly, as soon as the semaphore has a permit for each worker.
 * @param {{ semaphore: SemaphoreHandle, times: number }} data
 */
export function follow({ semaphore, times }) {
  Semaphore.from(semaphore).acquire();
  for (let time = 0; time < times; time++) Semaphore.from(semaphore);
  return times;
}
