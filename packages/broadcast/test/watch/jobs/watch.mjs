// @ts-check
// Writers and readers of a watch cell, which may end at any moment.

import { hasCode, Region } from '@sluice/core';
import { WatchCell } from '@sluice/broadcast';
import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../../../../tools/harness/src/random.mjs';

/** Words of the region: stop, the number of values that were read, the number of sets. */
export const STOP = 0;
export const READS = 1;
export const SETS = 2;

/**
 * @typedef {object} Life
 * @property {import('@sluice/broadcast').WatchCellHandle<Uint8Array>} cell
 * @property {import('@sluice/core').RegionHandle} words
 * @property {'write' | 'read' | 'block' | 'loop'} role
 * @property {number} seed
 */

/** Returns a value of that length with equal bytes. @param {number} byte @param {number} length */
export function valueOf(byte, length) {
  return new Uint8Array(length).fill(byte);
}

/** Throws if the value is torn. @param {Uint8Array} bytes */
export function checkWhole(bytes) {
  const [first] = bytes;
  // The length follows from the byte, so a length of one value with the bytes of another shows.
  if (first === undefined || bytes.length !== 1 + first || bytes.some((byte) => byte !== first))
    throw new Error(`a value is torn: ${[...bytes].join(' ')}`);
}

if (parentPort !== null) void live(workerData);

/** Returns the last value before the end. @param {WatchCell<Uint8Array>} cell */
function lastByBlocking(cell) {
  let last = cell.get();
  for (;;) {
    try {
      last = cell.changed();
      checkWhole(last);
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      return last;
    }
  }
}

/** @param {WatchCell<Uint8Array>} cell */
async function lastOfLoop(cell) {
  let last = cell.get();
  for await (const value of cell) {
    checkWhole(value);
    last = value;
  }
  return last;
}

/** @param {Life} data */
async function live({ cell: handle, words: region, role, seed }) {
  const words = Region.from(region).int32;
  const random = new Random(seed);
  const cell = WatchCell.from(handle);
  parentPort?.postMessage('begun');
  const stopped = () => Atomics.load(words, STOP) === 1;
  if (role === 'block' || role === 'loop') {
    parentPort?.postMessage(role === 'block' ? lastByBlocking(cell) : await lastOfLoop(cell));
    return;
  }
  let version = 0;
  while (!stopped()) {
    if (role === 'write') {
      const byte = random.below(200);
      const set = cell.set(valueOf(byte, 1 + byte));
      if (set <= version) throw new Error(`version ${set} came after ${version}`);
      version = set;
      Atomics.add(words, SETS, 1);
      continue;
    }
    const way = random.below(5);
    if (way === 0) checkWhole(cell.get());
    else if (way === 1) checkWhole(cell.changed());
    else if (way === 2) checkWhole(cell.tryChanged(random.below(2)) ?? valueOf(0, 1));
    else if (way === 3) checkWhole(await cell.changedAsync());
    else
      await cell.changedAsync({ signal: AbortSignal.timeout(1) }).then(checkWhole, (/** @type {unknown} */ failure) => {
        if (!(failure instanceof DOMException)) throw failure;
      });
    Atomics.add(words, READS, 1);
  }
}
