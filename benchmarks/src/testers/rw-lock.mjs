// @ts-check
import { RwLock } from '@sluice/rw-lock';
import { RandomWork } from '../lib/random-work.mjs';
import { nothingWrong, sharedInts } from './tester.mjs';

/** @typedef {{ lock: RwLock['handle'], numbers: Int32Array }} Shared */

const LENGTH = 8;

/** @param {import('@sluice/core').Arena} arena @returns {Shared} */
export function create(arena) {
  const numbers = sharedInts(LENGTH);
  for (let i = 0; i < LENGTH; i++) numbers[i] = i;
  return { lock: RwLock.create({ arena }).handle, numbers };
}

/**
 * Eight numbers that rise by one: in a quarter of the rounds all are written anew, in the others looked at.
 * @param {Shared} shared
 * @param {number} worker
 */
export function open({ lock: handle, numbers }, worker) {
  const lock = RwLock.from(handle);
  const random = new RandomWork(worker + 1);
  const write = () => {
    const first = random.below(2 ** 30);
    lock.writer.lock();
    for (let i = LENGTH - 1; i >= 0; i--) numbers[i] = first + i;
    lock.writer.unlock();
  };
  const areInOrder = () => {
    lock.reader.lock();
    let inOrder = true;
    for (let i = 1; i < LENGTH; i++) inOrder &&= numbers[i] === (numbers[i - 1] ?? 0) + 1;
    lock.reader.unlock();
    return inOrder;
  };
  return (/** @type {number} */ rounds) => {
    let wrong = 0;
    for (let i = 0; i < rounds; i++) {
      if (random.below(4) === 0) write();
      else if (!areInOrder()) wrong++;
    }
    return wrong;
  };
}

export const passed = nothingWrong;
