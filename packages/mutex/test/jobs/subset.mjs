// @ts-check
// Workers of one arena that have loaded different kinds: none, the mutex's, the recursive mutex's, or both.
import { Arena, OwnerDiedError, Region, Semaphore } from '@sluice/core';
import process from 'node:process';

/** @import { ArenaHandle, OwnedLock, RegionHandle, SemaphoreHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { MutexHandle, RecursiveMutexHandle } from '@sluice/mutex' */

/** Words of the control region: whether to stop, and how often owners were told of a death. */
export const STOP = 0;
export const TOLD = 1;
/**
 * Two words for each slot: the number of rounds, and whether its worker must end its thread as soon as it owns a lock.
 */
export const SLOTS = 2;
export const SLOT_WORDS = 2;
/** The time in ms for which such a worker owns the lock before its thread ends. Meanwhile others begin to wait. */
const OWNS_MS = 3;
/** Words that a lock protects. They are equal unless its owner died. */
const PROTECTED = 2;
/**
 * Percentages of rounds in which a worker without kinds reclaims dead agents, and in which a worker lets its event loop
 * turn.
 */
const LOOKS = 2;
const TURNS = 20;

/** @typedef {'plain' | 'deep'} LockName */
/** @typedef {{ plain: MutexHandle, deep: RecursiveMutexHandle }} LockHandles */
/**
 * @typedef {{ arena: ArenaHandle, permits: SemaphoreHandle, control: RegionHandle, guarded: RegionHandle, locks:
 *   LockHandles, loads: LockName[], slot: number }} LifeData
 */

/** Creates the locks, for a main thread that has not loaded their kinds. @param {ArenaHandle} handle */
export async function found(handle) {
  const { Mutex, RecursiveMutex } = await import('@sluice/mutex');
  const arena = Arena.from(handle);
  return {
    plain: Mutex.create({ arena, name: 'plain' }).handle,
    deep: RecursiveMutex.create({ arena, name: 'deep' }).handle,
  };
}

/** Uses the arena until it is told to stop, or is killed. @param {LifeData} data @param {JobContext} context */
export async function live({ arena: handle, permits: slots, control, guarded, locks, loads, slot }, { random, pause }) {
  const arena = Arena.from(handle);
  const permits = Semaphore.from(slots);
  const words = Region.from(control).int32;
  const protectedWords = Region.from(guarded).int32;
  const mine = await open(locks, loads);
  while (Atomics.load(words, STOP) === 0) {
    if (mine.length === 0 && random.chance(LOOKS)) arena.reclaimDead();
    if (random.chance(TURNS)) await pause(0);
    if (mine.length === 0 || random.chance(TURNS)) permits.run(() => undefined);
    else {
      const { lock, at } = random.pick(mine);
      await use(lock, protectedWords.subarray(at, at + PROTECTED));
    }
    Atomics.add(words, SLOTS + SLOT_WORDS * slot, 1);
  }

  /** @param {OwnedLock} lock @param {Int32Array} two */
  async function use(lock, two) {
    try {
      if (!(await enter(lock))) return;
    } catch (failure) {
      if (!(failure instanceof OwnerDiedError) || failure.guard === undefined) throw failure;
      Atomics.add(words, TOLD, 1);
      two[1] = two[0] ?? 0;
      failure.guard.markConsistent();
      failure.guard.release();
      return;
    }
    if (two[0] !== two[1]) throw new Error(`the words are ${two[0]} and ${two[1]}, and no owner died`);
    two[0] = (two[0] ?? 0) + 1;
    // Also take a permit, so that one death leaves work to the core and to another kind.
    const held = permits.tryAcquire();
    if (Atomics.load(words, SLOTS + SLOT_WORDS * slot + 1) !== 0) {
      Atomics.wait(words, STOP, 0, OWNS_MS);
      process.exit();
    }
    two[1] = (two[1] ?? 0) + 1;
    if (held) permits.release();
    lock.unlock();
  }

  /** Locks in one of the ways. @param {OwnedLock} lock @returns {Promise<boolean>} */
  async function enter(lock) {
    const way = random.below(4);
    if (way === 0) return lock.tryLock();
    if (way === 1) return lock.tryLock(1);
    if (way === 2) await lock.lockAsync();
    else lock.lock();
    return true;
  }
}

/** @param {LockHandles} handles @param {LockName[]} loads @returns {Promise<{ lock: OwnedLock, at: number }[]>} */
async function open(handles, loads) {
  if (loads.length === 0) return [];
  const { Mutex, RecursiveMutex } = await import('@sluice/mutex');
  const opened = { plain: () => Mutex.from(handles.plain), deep: () => RecursiveMutex.from(handles.deep) };
  return loads.map((name) => ({ lock: opened[name](), at: name === 'plain' ? 0 : PROTECTED }));
}

/** Opens both locks at the end and reports their state. @param {LockHandles} handles */
export async function audit(handles) {
  const { Mutex, RecursiveMutex } = await import('@sluice/mutex');
  return [Mutex.from(handles.plain), RecursiveMutex.from(handles.deep)].map((lock) => {
    try {
      lock.lock();
      lock.unlock();
    } catch (failure) {
      if (!(failure instanceof OwnerDiedError)) throw failure;
      failure.guard?.markConsistent();
      failure.guard?.release();
    }
    const { owner, waiters, abandoned, consistency } = lock.inspect();
    return { owner, waiters: waiters.length, abandoned, consistency };
  });
}
