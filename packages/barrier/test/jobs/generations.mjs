// @ts-check Parties that write plain words in each generation and read the words of all other parties after it.
import { Barrier } from '@sluice/barrier';
import { jsBarrier } from '@sluice/barrier/js';
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';

/** @import { ArenaHandle, Engine, RegionHandle } from '@sluice/core' */
/** @import { BarrierHandle, BarrierResult } from '@sluice/barrier' */
/** @import { JobContext } from '@sluice/harness' */

/** The words of each party, in a cache line of its own. */
export const LINE = 32;

/** @typedef {'blocking' | 'timed' | 'async'} Way */
/**
 * @typedef {object} GenerationsData
 * @property {ArenaHandle} arena
 * @property {Engine} engine
 * @property {BarrierHandle} barrier
 * @property {RegionHandle} words one line for each party, and one for what the action counts
 * @property {Way[]} ways
 * @property {number} generations
 * @property {boolean} acts
 */

/**
 * @param {Barrier} barrier
 * @param {Way | undefined} way
 * @returns {BarrierResult | undefined | Promise<BarrierResult>}
 */
function arrive(barrier, way) {
  if (way === 'async') return barrier.waitAsync();
  return way === 'timed' ? barrier.tryWait(60_000) : barrier.wait();
}

/** Returns the number of generations that this party led. @param {GenerationsData} data @param {JobContext} context */
export async function meet({ arena, engine, barrier: handle, words: region, ways, generations, acts }, { index }) {
  Arena.from(arena, { engine: engine === 'js' ? jsEngine.with(jsBarrier) : undefined });
  const words = Region.from(region).int32;
  const actions = ways.length * LINE;
  const action = () => {
    words[actions] = (words[actions] ?? 0) + 1;
  };
  const barrier = Barrier.from(handle, acts ? { action } : {});
  barrier.claim();
  let led = 0;
  for (let generation = 1; generation <= generations; generation++) {
    words[index * LINE] = generation;
    const result = await arrive(barrier, ways[index]);
    if (result === undefined) throw new Error('timed out');
    if (result.leader) led += 1;
    for (const party of ways.keys()) {
      // Another party may be one generation ahead.
      const seen = words[party * LINE] ?? 0;
      if (seen < generation || seen > generation + 1)
        throw new Error(`party ${index} is in generation ${generation}, but party ${party} has written only ${seen}`);
    }
    if (acts && (words[actions] ?? 0) < generation)
      throw new Error(`the action of generation ${generation} has not run`);
  }
  barrier.deregister();
  return led;
}
