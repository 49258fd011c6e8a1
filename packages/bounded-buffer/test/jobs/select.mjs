// @ts-check
// Lives of producers and consumers that select among two buffers and a semaphore, and may end at any moment.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { select, selectAsync } from '@sluice/bounded-buffer/select';
import { Region, Semaphore } from '@sluice/core';
import { Random } from '../../../../tools/harness/src/random.mjs';
import { parentPort, workerData } from 'node:worker_threads';

/** Values of one life are numbered from 1: `life * MOST + n`. */
export const MOST = 1 << 13;
export const LIVES = 256;
/**
 * Words: stop; per life, how many of its values it knows to be in the buffer; per value, how many takes of it were
 * begun.
 */
export const KNOWN = 1;
export const TAKEN = KNOWN + LIVES;
export const WORDS = TAKEN + LIVES * MOST;

/**
 * @typedef {object} Life
 * @property {import('@sluice/bounded-buffer').BoundedBufferHandle<number>[]} buffers
 * @property {import('@sluice/core').SemaphoreHandle} permits
 * @property {import('@sluice/core').RegionHandle} words
 * @property {'produce' | 'consume'} role
 * @property {number} life
 * @property {number} seed
 */

if (parentPort !== null) void live(workerData);

/** @param {Life} data */
async function live({ buffers: handles, permits, words: region, role, life, seed }) {
  const words = Region.from(region).int32;
  const random = new Random(seed);
  const onTake = (/** @type {unknown} */ value) => void Atomics.add(words, TAKEN + Number(value), 1);
  const buffers = handles.map((handle) => BoundedBuffer.from(handle, { onTake }));
  const semaphore = Semaphore.from(permits);
  parentPort?.postMessage('begun');
  const stopped = () => Atomics.load(words, 0) === 1;
  /** Runs a life that may end at any moment. */
  const options = () =>
    random.chance(50) ? { signal: AbortSignal.timeout(1 + random.below(3)) } : { timeout: random.below(4) };
  try {
    if (role === 'produce') await produce();
    else await consume();
  } catch (failure) {
    if (!buffers.some(({ closed }) => closed)) throw failure;
  }

  async function produce() {
    for (let n = 0; n < MOST - 1 && !stopped(); ) {
      const value = life * MOST + n;
      const selected = await selectAsync(
        buffers.map((buffer) => select.put(buffer, value)),
        options(),
      ).catch(none);
      if (selected === undefined) continue;
      n += 1;
      Atomics.store(words, KNOWN + life, n);
    }
  }

  async function consume() {
    while (!stopped()) {
      const n = 1 + random.below(2);
      const sources = [...buffers.map((buffer) => select.take(buffer)), select.acquire(semaphore, n)];
      const selected = await selectAsync(random.chance(30) ? sources.slice(random.below(2)) : sources, options()).catch(
        none,
      );
      if (selected !== undefined && selected.value === undefined) semaphore.release(n);
    }
  }

  /** @param {unknown} failure */
  function none(failure) {
    if (buffers.some(({ closed }) => closed)) throw failure;
    return undefined;
  }
}
