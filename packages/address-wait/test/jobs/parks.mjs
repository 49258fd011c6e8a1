// @ts-check A worker that parks again and again, or that unparks others until it is killed.
import { park, parkAsync, unpark } from '@sluice/address-wait';
import { Arena, Region } from '@sluice/core';
import { workerData } from 'node:worker_threads';

/** @import { ArenaHandle, RegionHandle } from '@sluice/core' */

/** Words: 1 at the end; then for each worker its agent id and how often it has gone on. */
export const ENDS = 0;
export const ID = 1;
export const PASSES = 2;
export const WORDS = 32;

/** @typedef {'blocking' | 'patient' | 'async' | 'unparks'} Way */
/** @typedef {{ arena: ArenaHandle, words: RegionHandle, way: Way, index: number, workers: number }} ParksData */

/** @param {ParksData} data */
async function live({ arena: handle, words: region, way, index, workers }) {
  const arena = Arena.from(handle);
  const words = Region.from(region).int32;
  const own = index * WORDS;
  Atomics.store(words, own + ID, arena.agentId);
  for (let turn = 0; Atomics.load(words, ENDS) === 0; turn++) {
    if (way === 'unparks') {
      const id = Atomics.load(words, (turn % workers) * WORDS + ID);
      if (id !== 0 && id !== arena.agentId) unpark(arena, id);
    } else if (way === 'blocking') park(arena);
    else if (way === 'patient') while (!park(arena, 0.05) && Atomics.load(words, ENDS) === 0);
    else await parkAsync(arena);
    Atomics.add(words, own + PASSES, 1);
  }
}

// The test imports the constants.
if (workerData !== null && typeof workerData === 'object' && 'way' in workerData)
  // A rejection ends the worker with an error.
  void live(/** @type {ParksData} */ (workerData));
