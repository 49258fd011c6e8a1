// @ts-check
// What workers do in the stress tests. The main thread runs some of it too.
import { Arena, Region, Semaphore } from '@sluice/core';

/** @import { ArenaHandle, RegionHandle, SemaphoreHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */

/** @typedef {'acquire' | 'try' | 'try for 1 ms' | 'async' | 'async for 1 ms' | 'async, aborted' | 'drain'} Way */

/**
 * @typedef {object} StormData
 * @property {ArenaHandle} arena
 * @property {'wasm' | 'js'} [engine]
 * @property {SemaphoreHandle[]} semaphores
 * @property {number} permits that each of them has
 * @property {RegionHandle} taken one word per semaphore: permits that are taken now; then one that is 1 when all may start
 * @property {number} rounds
 * @property {number} most permits in one call
 * @property {Way[]} ways
 * @property {number} [tasks] async tasks at the same time
 */
/** @typedef {{ calls: number, admitted: number, gaveUp: number }} StormResult */

/**
 * Takes and gives back permits in every way, and gives up a lot. Throws when more permits are taken than there are.
 * @param {StormData} data
 * @param {JobContext} context
 * @returns {Promise<StormResult>}
 */
export async function storm({ arena, engine, semaphores, permits, taken, rounds, most, ways, tasks = 1 }, { random, say, index }) {
  const place = Arena.from(arena, engine === undefined ? {} : { engine });
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
      if (now > permits) throw new Error(`agent ${index}: ${now} of ${permits} permits are taken (${way}, ${count})`);
      if (dice.chance(10)) for (let spin = dice.below(300); spin > 0; spin--) Atomics.load(words, which);
      // A nap with the permits taken, so that the others queue up and park.
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
 * Whether the permits were had.
 * @param {Semaphore} sem
 * @param {Way} way
 * @param {number} count
 * @param {JobContext['random']} random
 * @returns {boolean | Promise<boolean>}
 */
function enter(sem, way, count, random) {
  if (way === 'try') return sem.tryAcquire(count);
  if (way === 'try for 1 ms') return sem.tryAcquire(count, random.below(2));
  if (way === 'acquire') {
    sem.acquire(count);
    return true;
  }
  const controller = new AbortController();
  if (way === 'async, aborted') setImmediate(() => controller.abort());
  const wait = sem.acquireAsync(count, way === 'async for 1 ms' ? { timeout: random.below(3) } : { signal: controller.signal });
  // At once, so that leaving meets waiters that have just come.
  if (way === 'async, aborted' && random.chance(30)) controller.abort();
  return wait.then(
    () => true,
    () => false,
  );
}

/** Words of a worker in the control region of `joinLine`. */
export const TURN = 0;
export const PERMITS = 1;
export const WAY = 2;
export const LEFT = 3;
export const CONTROL_WORDS = 4;
/** Values of the word WAY. */
export const BLOCKING = 0;
export const ASYNC = 1;
/** Waits so many ms and leaves. */
export const LEAVES = 2;

/**
 * @typedef {object} LineData
 * @property {SemaphoreHandle} semaphore
 * @property {RegionHandle} control
 * @property {RegionHandle} log how many were admitted, then who
 * @property {number} rounds
 * @property {boolean} passOn whether it gives its permits back once it has written itself into the log
 */

/**
 * Joins the line when it is told to, and writes into the log when it is admitted: with plain writes, which the permits
 * guard if there is one holder at a time.
 * @param {LineData} data
 * @param {JobContext} context
 */
export async function joinLine({ semaphore, control, log, rounds, passOn }, { index, say }) {
  const sem = Semaphore.from(semaphore);
  const words = Region.from(control).int32;
  const entries = Region.from(log).int32;
  const mine = index * CONTROL_WORDS;
  say('ready');
  for (let round = 0; round < rounds; round++) {
    Atomics.wait(words, mine + TURN, round);
    const permits = Atomics.load(words, mine + PERMITS);
    const way = Atomics.load(words, mine + WAY);
    if (way === LEAVES) {
      if (sem.tryAcquire(permits, 2)) throw new Error('a waiter was admitted that should have left');
      Atomics.add(words, mine + LEFT, 1);
      continue;
    }
    if (way === ASYNC) await sem.acquireAsync(permits);
    else sem.acquire(permits);
    const at = (entries[0] ?? 0) + 1;
    entries[at] = index;
    if (passOn) {
      entries[0] = at;
      sem.release(permits);
    } else {
      // Nobody else is inside, but the main thread waits for this word.
      Atomics.store(entries, 0, at);
    }
  }
}

/**
 * Waits until it is admitted or the semaphore is closed; the code of the error, or how it was admitted.
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
 * Adds 1 to every word of a region, again and again, with plain reads and writes under the only permit.
 * @param {{ semaphore: SemaphoreHandle, tally: RegionHandle, rounds: number, way: 'blocking' | 'async' | 'mixed' }} data
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
 * Counts its own turns and everybody's, with plain writes under the only permit, until the word `counter[0]` is not 0.
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
    sem.release();
  }
  return turns;
}

/**
 * Takes messages out of a ring of plain words: `filled` counts the messages, `empty` the places.
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
 * Allocates until the arena is full, when all have come to the start.
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
 * Has so many waits in line at once, so that the pool of elements has to grow.
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
