// @ts-check Workers that use a wrapped lock, which they open by its handle.
import { CapacitorLock } from '@sluice/capacitor';
import { Region } from '@sluice/core';
import { LifoLock } from '@sluice/classics';
import { Mutex } from '@sluice/mutex';

/** @import { Arena, RegionHandle } from '@sluice/core' */
/** @import { CapacitorLockHandle, InnerLock } from '@sluice/capacitor' */
/** @import { LifoLockHandle } from '@sluice/classics' */
/** @import { MutexHandle } from '@sluice/mutex' */
/** @import { JobContext } from '@sluice/harness' */

export const GO = 0;
export const COUNT = 1;
export const INSIDE = 2;
export const CROWDED = 3;
const FUTEX = 4;
export const WORDS = 8;
/** No timer of a test can end a blocked thread. */
export const MAX_BLOCKED_MS = 20_000;

/** @typedef {'futex' | 'mutex' | 'lifo'} Kind */
/** @typedef {MutexHandle | LifoLockHandle | undefined} InnerHandle */
/**
 * @typedef {{ kind: Kind, lock: CapacitorLockHandle, inner: InnerHandle, words: RegionHandle, rounds: number }}
 *   WrappedData
 */

/** A third party's lock with two methods. @param {Int32Array} words @returns {InnerLock} */
function futex(words) {
  return {
    lock() {
      while (Atomics.compareExchange(words, FUTEX, 0, 1) !== 0) {
        if (Atomics.wait(words, FUTEX, 1, MAX_BLOCKED_MS) === 'timed-out')
          throw new Error(`The futex was locked for ${MAX_BLOCKED_MS} ms.`);
      }
    },
    unlock() {
      Atomics.store(words, FUTEX, 0);
      Atomics.notify(words, FUTEX, 1);
    },
  };
}

/**
 * @param {Kind} kind
 * @param {Arena} arena
 * @param {Region} region
 * @returns {{ lock: InnerLock, handle: InnerHandle }}
 */
export function createInner(kind, arena, region) {
  if (kind === 'futex') return { lock: futex(region.int32), handle: undefined };
  const lock = kind === 'mutex' ? Mutex.create({ arena }) : LifoLock.create({ arena });
  return { lock, handle: lock.handle };
}

/** @param {InnerHandle} handle @param {Int32Array} words @returns {InnerLock} */
function openInner(handle, words) {
  if (handle === undefined) return futex(words);
  return handle.kind === 'sluice.mutex' ? Mutex.from(handle) : LifoLock.from(handle);
}

/** @param {WrappedData} data @param {JobContext} context */
export async function countUp({ lock: handle, inner, words: region, rounds }, { say, pause }) {
  const words = Region.from(region).int32;
  const lock = CapacitorLock.from(handle, openInner(inner, words));
  const add = () => {
    if (Atomics.add(words, INSIDE, 1) !== 0) Atomics.add(words, CROWDED, 1);
    // A plain word: the lock protects it.
    words[COUNT] = (words[COUNT] ?? 0) + 1;
    Atomics.sub(words, INSIDE, 1);
  };
  say('ready');
  await pause(0);
  Atomics.wait(words, GO, 0);
  for (let round = 0; round < rounds; round++) {
    if (round % 3 === 0 || inner === undefined) lock.run(add);
    else if (round % 3 === 1) await lock.runAsync(add);
    else {
      lock.lock();
      add();
      lock.unlock();
    }
  }
  return lock.owned ? 'still held' : 'done';
}
