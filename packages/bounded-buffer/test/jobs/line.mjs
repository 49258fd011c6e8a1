// @ts-check Workers that push or pop one value, each when it is told to arrive.
import { BoundedBuffer } from '@sluice/bounded-buffer';

/** @import { BoundedBufferHandle } from '@sluice/bounded-buffer' */
/** @import { JobContext } from '@sluice/harness' */

/** @typedef {{ buffer: BoundedBufferHandle, value: number, way: 'blocking' | 'timed' | 'async' }} LineData */

const PATIENCE_MS = 60_000;

/** @param {LineData} data @param {JobContext} context */
export async function put({ buffer: handle, value, way }, { say, pause }) {
  /** @type {BoundedBuffer<number>} */
  const buffer = BoundedBuffer.from(handle);
  say('comes');
  await pause(0);
  if (way === 'async') await buffer.pushAsync(value);
  else if (way === 'blocking') buffer.push(value);
  else if (!buffer.tryPush(value, PATIENCE_MS)) throw new Error('a push of a producer timed out');
  return value;
}

/** Returns the value that it took. @param {LineData} data @param {JobContext} context */
export async function take({ buffer: handle, way }, { say, pause }) {
  /** @type {BoundedBuffer<number>} */
  const buffer = BoundedBuffer.from(handle);
  say('comes');
  await pause(0);
  if (way === 'async') return await buffer.popAsync();
  return way === 'blocking' ? buffer.pop() : buffer.tryPop(PATIENCE_MS);
}

/** Returns all values up to the end. @param {{ buffer: BoundedBufferHandle }} data */
export function takeAll({ buffer: handle }) {
  /** @type {BoundedBuffer<number>} */
  const buffer = BoundedBuffer.from(handle);
  return [...buffer];
}

/**
 * Pushes `count` values from `first` on, several at a time.
 * @param {{ buffer: BoundedBufferHandle, first: number, count: number }} data @param {JobContext} context
 */
export async function putAll({ buffer: handle, first, count }, { random }) {
  /** @type {BoundedBuffer<number>} */
  const buffer = BoundedBuffer.from(handle);
  const values = Array.from({ length: count }, (_, index) => first + index);
  while (values.length > 0) {
    const some = values.slice(0, random.between(1, 5));
    if (random.chance(30)) values.splice(0, await buffer.pushManyAsync(some));
    else if (random.chance(50)) values.splice(0, buffer.pushMany(some));
    else buffer.push(values.shift() ?? 0);
  }
  return count;
}

/** Words that a row shares: which agent arrives next, and the number of rounds. */
export const COMES = 0;
export const ROUND = 1;

/**
 * In each round enqueues when the word says so, and pops or pushes one value. Returns the values that it took, by
 * round.
 * @typedef {{ buffer: BoundedBufferHandle, words: SharedArrayBuffer, rounds: number, way: 'put' | 'take', async:
 * boolean }} RowData
 * @param {RowData} data @param {JobContext} context
 */
export async function standInRow({ buffer: handle, words: shared, rounds, way, async }, { index }) {
  /** @type {BoundedBuffer<number>} */
  const buffer = BoundedBuffer.from(handle);
  const words = new Int32Array(shared);
  /** @type {number[]} */
  const taken = [];
  for (let round = 0; round < rounds; round++) {
    for (;;) {
      const comes = Atomics.load(words, COMES);
      if (comes >= round * ROW + index) break;
      Atomics.wait(words, COMES, comes);
    }
    if (way === 'take') taken.push(async ? await buffer.popAsync() : buffer.pop());
    else if (async) await buffer.pushAsync(index);
    else buffer.push(index);
    Atomics.add(words, ROUND, 1);
  }
  return taken;
}

/** The number of agents in a row. */
export const ROW = 8;
