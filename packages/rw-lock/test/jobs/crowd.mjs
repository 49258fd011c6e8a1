// @ts-check
// Workers that hold one side of a lock without a gap between them, as far as the lock lets them.
import { Region } from '@sluice/core';
import { OFFICE } from '@sluice/core/internal';
import { RwLock } from '@sluice/rw-lock';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { RwLockHandle } from '@sluice/rw-lock' */
/** @import { JobContext } from '@sluice/harness' */

export const STOP = 0;
/** How often readers, and writers, came in. */
export const READS = 32;
export const WRITES = 64;
/** Readers that are inside. */
const INSIDE = 96;
export const WORDS = 128;

const FIELD = 0x1fffffn;

/** What the box office of a lock says (kernel/rw-lock.ts). @param {RwLockHandle} handle */
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

/** Reads, and leaves only when another reader is inside, or has to wait. @param {CrowdData} data @param {JobContext} context */
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

/** Goes out if another stays inside: two that leave at once must not leave nobody. @param {Int32Array} words */
function leavesAnother(words) {
  for (let inside = Atomics.load(words, INSIDE); inside > 1; inside = Atomics.load(words, INSIDE)) {
    if (Atomics.compareExchange(words, INSIDE, inside, inside - 1) === inside) return true;
  }
  return false;
}

/** Lets others have the core. @param {Int32Array} words */
function nap(words) {
  Atomics.wait(words, STOP, 0, 0.02);
}

/** Writes, and leaves only when another writer waits. @param {CrowdData} data */
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
