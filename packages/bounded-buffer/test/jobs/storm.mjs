// @ts-check
// Lives of producers and of consumers, which may end at any moment.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Region } from '@sluice/core';
import { Random } from '../../../../tools/harness/src/random.mjs';
import { parentPort, workerData } from 'node:worker_threads';

/** Values of one life are numbered from 0: `life * MOST + n`. */
export const MOST = 1 << 12;
/**
 * Words: stop; per life, how many of its values it knows to be in the buffer; per value, the worker that took it, and
 * how many takes of it were begun.
 */
export const LIVES = 1024;
export const KNOWN = 1;
export const TAKEN = KNOWN + LIVES;
/** The largest number of values that one call takes. */
export const AT_ONCE = 5;
export const WORDS = TAKEN + LIVES * MOST;

/**
 * @typedef {object} Life
 * @property {import('@sluice/bounded-buffer').BoundedBufferHandle} buffer
 * @property {import('@sluice/core').RegionHandle} words
 * @property {'produce' | 'consume'} role
 * @property {number} life
 * @property {number} seed
 * @property {boolean} bytes values of random length that begin with the number
 */

/** @param {number} value @param {Random} random */
export function told(value, random) {
  const bytes = new Uint8Array(4 + random.below(60)).fill(value & 255);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return bytes;
}

/** Returns the number, or -1 if the bytes are torn. @param {number | Uint8Array} packed */
export function heard(packed) {
  if (typeof packed === 'number') return packed;
  const value = new DataView(packed.buffer, packed.byteOffset).getInt32(0, true);
  return packed.subarray(4).every((byte) => byte === (value & 255)) ? value : -1;
}

if (parentPort !== null) void live(workerData);

/** @param {Life} data */
async function live({ buffer: handle, words: region, role, life, seed, bytes }) {
  const words = Region.from(region).int32;
  const random = new Random(seed);
  /** @type {BoundedBuffer<number | Uint8Array>} */
  const buffer = BoundedBuffer.from(handle, {
    onTake: (packed) => void Atomics.add(words, TAKEN + heard(/** @type {number | Uint8Array} */ (packed)), 1),
  });
  parentPort?.postMessage('begun');
  const stopped = () => Atomics.load(words, 0) === 1;
  try {
    if (role === 'produce') await produce();
    else await consume();
  } catch (failure) {
    if (!buffer.closed) throw failure;
  }

  async function produce() {
    for (let next = 0; next < MOST - 8 && !stopped(); ) {
      const some = Array.from({ length: 1 + random.below(4) }, (_, n) => life * MOST + next + n);
      const values = bytes ? some.map((value) => told(value, random)) : some;
      const [first] = values;
      if (first === undefined) return;
      const went = await put(values, first);
      next += went;
      Atomics.store(words, KNOWN + life, next);
    }
  }

  /** Returns how many values were pushed. @param {(number | Uint8Array)[]} values @param {number | Uint8Array} first */
  async function put(values, first) {
    switch (random.below(6)) {
      case 0:
        buffer.push(first);
        return 1;
      case 1:
        return Number(buffer.tryPush(first, random.below(3)));
      case 2:
        return buffer.pushMany(values);
      case 3:
        return buffer.tryPushMany(values, random.below(2));
      case 4:
        return buffer.pushManyAsync(values, { timeout: 5 }).catch(none);
      default:
        return buffer.pushAsync(first, { signal: AbortSignal.timeout(1 + random.below(3)) }).then(() => 1, none);
    }
  }

  async function consume() {
    while (!stopped()) {
      const way = random.below(6);
      if (way === 0) buffer.tryPop(random.below(3));
      else if (way === 1) buffer.popMany(1 + random.below(AT_ONCE));
      else if (way === 2) buffer.tryPopMany(3, 1);
      else if (way === 3) buffer.pop();
      else if (way === 4) await buffer.popManyAsync(4, { timeout: 5 }).catch(none);
      else await buffer.popAsync({ signal: AbortSignal.timeout(1 + random.below(3)) }).catch(none);
    }
  }

  /** @param {unknown} failure */
  function none(failure) {
    if (buffer.closed) throw failure;
    return 0;
  }
}
