// @ts-check
// Workers that together hold one side of a lock without a gap, as far as the lock allows.
import { Region } from '@sluice/core';
import { OFFICE } from '@sluice/core/format';
import { RwLock } from '@sluice/rw-lock';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { RwLockHandle } from '@sluice/rw-lock' */
/** @import { JobContext } from '@sluice/harness' */

export const STOP = 0;
/** The number of admissions of readers, and of writers. */
export const READS = 32;
export const WRITES = 64;
/** The number of readers that hold the lock. */
const INSIDE = 96;
export const WORDS = 128;

const FIELD = 0x1fffffn;

/** Reads the box office of a lock (kernel/rw-lock.ts). @param {RwLockHandle} handle */
export function officeOf(handle) {
  const office = new BigInt64Array(handle.memory.buffer, handle.address + OFFICE, 1);
  /** @param {bigint} at */
  const field = (at) => Number((Atomics.load(office, 0) >> at) & FIELD);
  return {
    waitingReaders: () => field(21n),
    writers: () => field(42n),
  };
}

/** @typedef {{ lock: RwLockHandle, words: RegionHandle }} CrowdData */

/**
 * Reads, and unlocks only when another reader holds the lock or has to wait.
 * @param {CrowdData} data
 * @param {JobContext} context
 */
export function keepReading({ lock: handle, words: region }, { random }) {
  const { reader } = RwLock.from(handle);
  const words = Region.from(region).int32;
  const office = officeOf(handle);
  let reads = 0;
  while (Atomics.load(words, STOP) === 0) {
    reader.lock();
    reads += 1;
    Atomics.add(words, READS, 1);
    Atomics.add(words, INSIDE, 1);
    if (random.chance(20)) nap(words);
    while (!leavesAnother(words)) {
      if (office.waitingReaders() > 0 || Atomics.load(words, STOP) !== 0) {
        Atomics.sub(words, INSIDE, 1);
        break;
      }
      nap(words);
    }
    reader.unlock();
  }
  return reads;
}

/**
 * Subtracts itself from the count if another reader stays. Two readers that leave at the same time must not leave the
 * lock empty.
 * @param {Int32Array} words
 */
function leavesAnother(words) {
  for (let inside = Atomics.load(words, INSIDE); inside > 1; inside = Atomics.load(words, INSIDE)) {
    if (Atomics.compareExchange(words, INSIDE, inside, inside - 1) === inside) return true;
  }
  return false;
}

/** Lets other threads run. @param {Int32Array} words */
function nap(words) {
  Atomics.wait(words, STOP, 0, 0.02);
}

/** Writes, and unlocks only when another writer waits. @param {CrowdData} data */
export function keepWriting({ lock: handle, words: region }) {
  const { writer } = RwLock.from(handle);
  const words = Region.from(region).int32;
  const office = officeOf(handle);
  let writes = 0;
  while (Atomics.load(words, STOP) === 0) {
    writer.lock();
    writes += 1;
    Atomics.add(words, WRITES, 1);
    while (office.writers() < 2 && Atomics.load(words, STOP) === 0) nap(words);
    writer.unlock();
  }
  return writes;
}
