// @ts-check
// A worker that has only the arena, and asks for mutexes by name.
import { Arena, Region } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { named, namedAsync } from '@sluice/named';
import { workerData } from 'node:worker_threads';

/** The number of names. */
export const NAMES = 20;
/** Words: from here on, how often each mutex was created. Behind them, sums under the mutexes. */
export const CREATED = 0;

/**
 * @typedef {{ arena: import('@sluice/core').ArenaHandle, words: import('@sluice/core').RegionHandle, dies: boolean }}
 *   NamesData
 */

/** @param {NamesData} data */
export async function ask({ arena: handle, words: region, dies }) {
  const arena = Arena.from(handle);
  const words = Region.from(region).int32;
  do {
    for (let which = 0; which < NAMES; which++) {
      const name = `name ${which}`;
      const create = (/** @type {{ arena: Arena, name: string }} */ options) => {
        Atomics.add(words, CREATED + which, 1);
        return Mutex.create(options);
      };
      const mutex = which % 3 === 0 ? await namedAsync(arena, name, Mutex, create) : named(arena, name, Mutex, create);
      if (dies) continue;
      mutex.run(() => {
        words[CREATED + NAMES + which] = (words[CREATED + NAMES + which] ?? 0) + 1;
      });
    }
  } while (dies);
}

if (workerData !== null && typeof workerData === 'object' && 'arena' in workerData && 'dies' in workerData)
  void ask(/** @type {NamesData} */ (workerData));
