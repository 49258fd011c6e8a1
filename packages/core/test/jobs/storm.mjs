// @ts-check
// A storm: acquires and releases permits in every way. The main thread takes part, too.
import { Arena, Region, Semaphore } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';

/** @import { ArenaHandle, RegionHandle, SemaphoreHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */

/**
 * @typedef {'acquire' | 'try' | 'try for 1 ms' | 'async' | 'async for 1 ms' | 'async, aborted' | 'behind itself' |
 *   'drain'} Way
 */

/**
 * @typedef {object} StormData
 * @property {ArenaHandle} arena
 * @property {'wasm' | 'js'} [engine]
 * @property {SemaphoreHandle[]} semaphores
 * @property {number} permits of each semaphore
 * @property {RegionHandle} taken one word per semaphore with the number of permits held now, then a word that is 1 when
 *   all may start
 * @property {number} rounds
 * @property {number} most permits in one call
 * @property {Way[]} ways
 * @property {number} [tasks] async tasks at the same time
 */
/** @typedef {{ calls: number, admitted: number, gaveUp: number }} StormResult */

/**
 * Acquires and releases permits in every way, with many timeouts and aborts. Throws if more permits are held than
 * exist.
 * @param {StormData} data
 * @param {JobContext} context
 * @returns {Promise<StormResult>}
 */
export async function storm(
  { arena, engine, semaphores, permits, taken, rounds, most, ways, tasks = 1 },
  { random, say, index },
) {
  const place = Arena.from(arena, { engine: engine === 'js' ? jsEngine : undefined });
  if (engine !== undefined && place.engine !== engine) throw new Error(`The engine is ${place.engine}, not ${engine}.`);
  const sems = semaphores.map((handle) => Semaphore.from(handle));
  const words = Region.from(taken).int32;
  const start = sems.length;
  const result = { calls: 0, admitted: 0, gaveUp: 0 };

  const task = async () => {
    const dice = random.fork();
    for (let round = 0; round < rounds; round++) {
      const which = dice.below(sems.length);
      const sem = /** @type {Semaphore} */ (sems[which]);
      const way = dice.pick(ways);
      let count = dice.between(1, most);
      result.calls += 1;
      if (way === 'drain') {
        count = sem.drain();
        if (count === 0) continue;
      } else if (!(await enter(sem, way, count, dice))) {
        result.gaveUp += 1;
        continue;
      }
      result.admitted += 1;
      const now = Atomics.add(words, which, count) + count;
      if (now > permits) throw new Error(`agent ${index}: ${now} of ${permits} permits are held (${way}, ${count})`);
      if (dice.chance(10)) for (let spin = dice.below(300); spin > 0; spin--) Atomics.load(words, which);
      // Sleep with the permits, so that the other agents queue and park.
      if (dice.chance(2)) Atomics.wait(words, start, 1, 0.1);
      if (tasks > 1 && dice.chance(10)) await new Promise((resolve) => setImmediate(resolve));
      Atomics.sub(words, which, count);
      sem.release(count);
    }
  };
  say('ready');
  Atomics.wait(words, start, 0);
  await Promise.all(Array.from({ length: tasks }, task));
  return result;
}

/**
 * Returns whether the permits were acquired.
 * @param {Semaphore} sem
 * @param {Way} way
 * @param {number} count
 * @param {JobContext['random']} random
 * @returns {boolean | Promise<boolean>}
 */
function enter(sem, way, count, random) {
  if (way === 'behind itself') return standBehindItself(sem, count);
  if (way === 'try') return sem.tryAcquire(count);
  if (way === 'try for 1 ms') return sem.tryAcquire(count, random.below(2));
  if (way === 'acquire') {
    sem.acquire(count);
    return true;
  }
  const controller = new AbortController();
  if (way === 'async, aborted') setImmediate(() => controller.abort());
  const wait = sem.acquireAsync(
    count,
    way === 'async for 1 ms' ? { timeout: random.below(3) } : { signal: controller.signal },
  );
  // Abort at once, so that the waiter leaves while others have just arrived.
  if (way === 'async, aborted' && random.chance(30)) controller.abort();
  return wait.then(
    () => true,
    () => false,
  );
}

/**
 * Tries to block behind an async wait of its own, which must throw.
 * @param {Semaphore} sem
 * @param {number} count
 */
async function standBehindItself(sem, count) {
  const wait = sem.acquireAsync(count);
  const { agentId } = Arena.from({ ...sem.handle, kind: 'sluice.arena' });
  // Only behind a wait in line. After an immediate grant this worker could wait forever for workers that wait for it.
  if (sem.inspect().waiters.some(({ agent }) => agent === agentId)) {
    try {
      sem.acquire();
      sem.release();
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== 'SLUICE_DEADLOCK') throw error;
    }
  }
  await wait;
  return true;
}
