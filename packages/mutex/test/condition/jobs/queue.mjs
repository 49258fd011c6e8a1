// @ts-check
// Producers and consumers at a queue of a few plain words, with a lock, a condition for free places and a condition for
// items.
import { Condition, Mutex, RecursiveMutex } from '@sluice/mutex';
import { jsCondition, jsMutex } from '@sluice/mutex/js';
import { Arena, hasCode, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { RwLock } from '@sluice/rw-lock';
import { jsRwLock } from '@sluice/rw-lock/js';

/** @import { ArenaHandle, Engine, RegionHandle } from '@sluice/core' */
/** @import { ConditionHandle, ConditionLock } from '@sluice/mutex' */
/** @import { JobContext } from '@sluice/harness' */

/** Plain words: the number of items put in, the number taken out, and the places. */
export const PUT = 0;
export const TAKEN = 1;
export const PLACES = 2;
export const ROOM = 4;

/** @typedef {'blocking' | 'patient' | 'async'} Way */
/**
 * @typedef {object} QueueData
 * @property {ArenaHandle} arena
 * @property {Engine} engine
 * @property {import('@sluice/mutex').MutexHandle | import('@sluice/mutex').RecursiveMutexHandle |
 *   import('@sluice/rw-lock').RwLockHandle} lock
 * @property {ConditionHandle} hasRoom
 * @property {ConditionHandle} hasItem
 * @property {RegionHandle} words
 * @property {Way[]} ways of the workers
 * @property {number} items of each producer
 * @property {boolean} inside whether they notify with the lock held
 */

/** @param {Engine} engine */
export const engineFor = (engine) => (engine === 'js' ? jsEngine.with(jsMutex, jsRwLock, jsCondition) : undefined);

/** @param {QueueData['lock']} handle @returns {ConditionLock} */
export function openLock(handle) {
  if (handle.kind === 'sluice.mutex') return Mutex.from(handle);
  return handle.kind === 'sluice.rw-lock' ? RwLock.from(handle).writer : RecursiveMutex.from(handle);
}

/** @param {QueueData} data @param {number} index */
function open(data, index) {
  Arena.from(data.arena, { engine: engineFor(data.engine) });
  const lock = openLock(data.lock);
  const way = data.ways[index] ?? 'blocking';
  return {
    lock,
    way,
    hasRoom: Condition.from(data.hasRoom, lock),
    hasItem: Condition.from(data.hasItem, lock),
    words: Region.from(data.words).int32,
  };
}

/**
 * Waits, with the lock held, until `predicate` returns true.
 * @param {Condition} condition
 * @param {() => boolean} predicate
 * @param {Way} way
 */
async function until(condition, predicate, way) {
  if (way === 'blocking') condition.waitFor(predicate);
  else if (way === 'patient') while (!condition.waitFor(predicate, 0.05));
  else {
    while (!predicate()) {
      try {
        await condition.waitAsync(Math.random() < 0.5 ? {} : { timeout: 1 });
      } catch (failure) {
        if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
      }
      if (!condition.lock.owned) throw new Error('a wait has ended without the lock');
    }
  }
}

/**
 * Waits under the lock until `predicate` returns true, performs `change`, and notifies one waiter.
 * @param {ReturnType<typeof open>} at
 * @param {Condition} mine
 * @param {Condition} theirs
 * @param {() => boolean} predicate
 * @param {() => void} change
 * @param {boolean} inside
 */
async function exchange({ lock, way }, mine, theirs, predicate, change, inside) {
  if (way === 'async') await lock.lockAsync();
  else lock.lock();
  await until(mine, predicate, way);
  change();
  if (inside) theirs.notify();
  lock.unlock();
  if (!inside) theirs.notify();
}

/** @param {QueueData} data @param {JobContext} context */
export async function produce(data, { index }) {
  const at = open(data, index);
  const { words, hasRoom, hasItem } = at;
  const word = (/** @type {number} */ which) => words[which] ?? 0;
  for (let item = 1; item <= data.items; item++) {
    const put = () => {
      words[PLACES + (word(PUT) % ROOM)] = item;
      words[PUT] = word(PUT) + 1;
    };
    await exchange(at, hasRoom, hasItem, () => word(PUT) - word(TAKEN) < ROOM, put, data.inside);
  }
  return 0;
}

/** Returns the sum of the items. @param {QueueData} data @param {JobContext} context */
export async function consume(data, { index }) {
  const at = open(data, index);
  const { words, hasRoom, hasItem } = at;
  const word = (/** @type {number} */ which) => words[which] ?? 0;
  let sum = 0;
  for (let item = 1; item <= data.items; item++) {
    const take = () => {
      const place = PLACES + (word(TAKEN) % ROOM);
      if (word(place) === 0) throw new Error('a place was emptied twice, or never filled');
      sum += word(place);
      words[place] = 0;
      words[TAKEN] = word(TAKEN) + 1;
    };
    await exchange(at, hasItem, hasRoom, () => word(PUT) > word(TAKEN), take, data.inside);
  }
  return sum;
}
