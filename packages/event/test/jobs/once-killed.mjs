// @ts-check A worker that initialises a once and a lazy, or waits for the worker that does, and ends or is killed in
// between.
import { Region } from '@sluice/core';
import { Lazy, Once } from '@sluice/event';
import { exit } from 'node:process';
import { workerData } from 'node:worker_threads';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { LazyHandle, OnceHandle } from '@sluice/event' */

/**
 * Words: how often the once was initialised, 1 + the worker whose initialiser began last, the number of calls that have
 * returned.
 */
export const COUNT = 0;
export const INSIDE = 1;
export const RETURNED = 2;
/** A word that never changes. */
export const NEVER = 3;
/** Per worker: 1 while it waits in its initialiser to be killed, and the value that it got from the lazy. */
export const HANGS = 4;

/**
 * `exits`, `hangs`: its initialisers do. `killed`: the main thread kills it whenever it likes. @typedef {'lives' |
 * 'exits' | 'hangs' | 'killed'} End
 */
/**
 * @typedef {object} KilledData
 * @property {OnceHandle} once
 * @property {LazyHandle<number>} lazy
 * @property {RegionHandle} words
 * @property {End[]} ends
 * @property {number} index
 */

/** @param {KilledData} data */
function live({ once: handle, lazy: at, words: region, ends, index }) {
  const once = Once.from(handle);
  const lazy = Lazy.from(at);
  const words = Region.from(region).int32;
  const end = ends[index];
  const perish = () => {
    if (end === 'exits') exit();
    if (end !== 'hangs') return;
    Atomics.store(words, HANGS + index, 1);
    Atomics.wait(words, NEVER, 0);
  };
  once.run(() => {
    const found = Atomics.exchange(words, INSIDE, index + 1);
    if (found > 0 && ends[found - 1] === 'lives')
      throw new Error(`worker ${index} initialises while worker ${found - 1} does`);
    perish();
    words[COUNT] = (words[COUNT] ?? 0) + 1;
    Atomics.store(words, INSIDE, 0);
  });
  // A worker that is killed right before the end of its attempt has already counted the attempt.
  const most = 1 + ends.filter((each) => each === 'killed').length;
  if ((words[COUNT] ?? 0) < 1 || (words[COUNT] ?? 0) > most)
    throw new Error(`worker ${index} continued after ${words[COUNT]} initialisations`);
  Atomics.store(
    words,
    HANGS + ends.length + index,
    lazy.get(() => {
      perish();
      return index + 1;
    }),
  );
  Atomics.add(words, RETURNED, 1);
}

// The test imports the constants.
if (workerData !== null && typeof workerData === 'object' && 'ends' in workerData)
  live(/** @type {KilledData} */ (workerData));
