// @ts-check Threads that use the same onces and lazies in the same order. Each initialiser writes plain words, and some
// throw.
import { Arena, hasCode, Region } from '@sluice/core';
import { Lazy, Once } from '@sluice/event';

/** @import { ArenaHandle, RegionHandle } from '@sluice/core' */
/** @import { LazyHandle, OnceHandle } from '@sluice/event' */
/** @import { JobContext } from '@sluice/harness' */

/** @typedef {'blocking' | 'patient' | 'async' | 'waiting' | 'waiting async'} Way */
/**
 * @typedef {object} OncesData
 * @property {ArenaHandle} arena
 * @property {OnceHandle[]} onces
 * @property {LazyHandle<string>[]} lazies
 * @property {RegionHandle} words for each once: how often it was initialised, and 1 + the thread that is inside
 * @property {Way[]} ways
 * @property {number} failures of a hundred initialisers
 */

class Failure extends Error {}

/** Returns the values of all lazies. @param {OncesData} data @param {JobContext} context */
export async function goThrough(data, { index, random }) {
  Arena.from(data.arena);
  const words = Region.from(data.words).int32;
  const way = data.ways[index] ?? 'blocking';
  const values = [];
  for (const [round, handle] of data.onces.entries()) {
    const once = Once.from(handle);
    const lazy = Lazy.from(/** @type {LazyHandle<string>} */ (data.lazies[round]));
    const [count, inside] = [2 * round, 2 * round + 1];
    const initialise = () => {
      if (words[inside] !== 0)
        throw new Error(`thread ${index} initialises once ${round} while thread ${(words[inside] ?? 0) - 1} does`);
      words[inside] = index + 1;
      for (let spin = random.below(200); spin > 0; spin--)
        if (words[inside] !== index + 1) throw new Error(`another thread is inside once ${round}`);
      words[inside] = 0;
      if (random.below(100) < data.failures) throw new Failure();
      words[count] = (words[count] ?? 0) + 1;
    };
    await untilDone(() => pass(once, way, initialise));
    if (words[count] !== 1)
      throw new Error(`thread ${index} continued, but once ${round} was initialised ${words[count]} times`);
    const made = () => {
      if (random.below(100) < data.failures) throw new Failure();
      return `${index}: ${'x'.repeat(random.below(100))}`;
    };
    values.push(await untilDone(() => look(lazy, way, made)));
  }
  return values;
}

/**
 * Repeats the call after its own initialiser has thrown, and after a timeout. @template T
 * @param {() => T | Promise<T>} call
 */
async function untilDone(call) {
  for (;;) {
    try {
      return await call();
    } catch (failure) {
      if (!(failure instanceof Failure) && !hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
    }
  }
}

/** @param {Once} once @param {Way} way @param {() => void} initialise @returns {void | Promise<void>} */
function pass(once, way, initialise) {
  if (way === 'blocking') once.run(initialise);
  else if (way === 'waiting') once.wait();
  else if (way === 'patient') while (!once.tryRun(initialise, 0.01));
  else if (way === 'async') return once.runAsync(() => Promise.resolve().then(initialise), { timeout: 0.05 });
  else return once.waitAsync();
}

/** @param {Lazy<string>} lazy @param {Way} way @param {() => string} made @returns {string | Promise<string>} */
function look(lazy, way, made) {
  if (way === 'blocking') return lazy.get(made);
  if (way === 'waiting') return lazy.wait();
  if (way === 'async') return lazy.getAsync(() => Promise.resolve().then(made));
  if (way === 'waiting async') return lazy.waitAsync();
  for (;;) {
    const value = lazy.tryGet(made, 0.01);
    if (value !== undefined) return value;
  }
}
