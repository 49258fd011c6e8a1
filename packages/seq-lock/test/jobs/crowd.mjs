// @ts-check
// Threads that read and write one value, and check that it is whole and never goes back.
import { Region } from '@sluice/core';
import { SeqLock } from '@sluice/seq-lock';
import { fill, next, numberIn } from './value.mjs';

/** @import { SeqLockHandle } from '@sluice/seq-lock' */
/** @import { JobContext } from '@sluice/harness' */

/** @import { RegionHandle } from '@sluice/core' */
/**
 * `beside`: a plain word that each update writes before its value. @typedef {{ lock: SeqLockHandle, operations: number,
 * beside: RegionHandle }} CrowdData
 */

/**
 * Updates the value with every form of call. Returns the number of updates.
 * @param {CrowdData} data
 * @param {JobContext} context
 */
export async function write({ lock: handle, operations, beside }, { random }) {
  const lock = SeqLock.from(handle);
  const plain = Region.from(beside).int32;
  const update = (/** @type {import('@sluice/seq-lock').SeqValue} */ value) => (plain[0] = next(value));
  let [updates, last] = [0, 0];
  while (updates < operations) {
    const way = random.below(10);
    if (way < 7) {
      const number = lock.update(update);
      if (number <= last) throw new Error(`Update ${number} came after update ${last} of the same thread.`);
      last = number;
    } else if (way < 9) {
      if (!lock.tryUpdate((value) => void update(value), random.below(2))) continue;
    } else last = await lock.updateAsync(update);
    updates += 1;
  }
  return updates;
}

/**
 * Reads with every form of call until the value is that of the last update. Returns the number of failed attempts.
 * @param {CrowdData} data
 * @param {JobContext} context
 */
export async function read({ lock: handle, operations, beside }, { random }) {
  const lock = SeqLock.from(handle);
  const plain = Region.from(beside).int32;
  const [value, snapshot] = [lock.read(), lock.snapshot()];
  let [last, failed] = [0, 0];
  while (last < operations) {
    const way = random.below(24);
    let number = last;
    if (way < 10) number = numberIn(lock.read(value));
    else if (way >= 20) {
      const before = numberIn(snapshot);
      const isChanged = snapshot.refresh();
      number = numberIn(snapshot);
      if (isChanged !== (number !== before))
        throw new Error(`refresh() returned ${isChanged} for number ${number} after number ${before}.`);
    } else if (way < 14) number = lock.read(numberIn);
    else if (way < 19) {
      if (lock.tryRead(value)) number = numberIn(value);
      else failed += 1;
    } else number = numberIn(await lock.readAsync(value));
    if (number < last) throw new Error(`A read returned number ${number} after number ${last}.`);
    if ((plain[0] ?? 0) < number)
      throw new Error(`A read returned number ${number} without the plain word that was written before it.`);
    last = number;
  }
  return failed;
}

/**
 * Replaces values whose words do not depend on the value before.
 * @param {CrowdData} data
 * @param {JobContext} context
 */
export function replace({ lock: handle, operations }, { random }) {
  const lock = SeqLock.from(handle);
  for (let round = 0; round < operations; round++) {
    const number = random.below(2 ** 30);
    lock.write((value) => fill(value, number));
  }
  return operations;
}

/** Reads until the seq-lock is closed. @param {CrowdData} data */
export function watch({ lock: handle }) {
  const lock = SeqLock.from(handle);
  const [value, snapshot] = [lock.read(), lock.snapshot()];
  let reads = 0;
  for (; !lock.closed; reads++) {
    numberIn(lock.read(value));
    snapshot.refresh();
    numberIn(snapshot);
  }
  return reads;
}
