// @ts-check A worker that joins a barrier and passes generations until it is told to stop, ends, or is killed.
import { Barrier } from '@sluice/barrier';
import { hasCode, Region } from '@sluice/core';
import { exit } from 'node:process';
import { workerData } from 'node:worker_threads';

/**
 * @typedef {{ barrier: import('@sluice/barrier').BarrierHandle, words: import('@sluice/core').RegionHandle, index:
 *   number, last: number | undefined }} PartiesData
 */
/**
 * Words of the region: whether to stop; then for each worker the number of its waits that tripped, and of those that
 * threw for a broken generation.
 */

const { barrier: handle, words: region, index, last } = /** @type {PartiesData} */ (workerData);
const words = Region.from(region).int32;
const barrier = Barrier.from(handle, { action: () => undefined });
barrier.register();

async function goThrough() {
  for (let round = 0; Atomics.load(words, 0) === 0; round++) {
    if (round === last) exit();
    try {
      if (index % 2 === 0) barrier.wait();
      else await barrier.waitAsync();
      Atomics.add(words, 1 + 2 * index, 1);
    } catch (error) {
      if (!hasCode(error, 'SLUICE_BROKEN_BARRIER')) throw error;
      Atomics.add(words, 2 + 2 * index, 1);
      barrier.mend();
    }
  }
  barrier.deregister();
}

void goThrough();
