// Mutants of the single flight: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const TWO = 'two misses compute once';
const SET = 'a value is set while two calls miss';

export const FLIGHT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a caller that has the lock does not look for a value',
    in: 'Computations.begin',
    find: 'if (found !== undefined) return found;',
    replace: '',
    caughtBy: TWO,
  },
  {
    name: 'a computation begins with the mark of an earlier one',
    in: 'Computations.begin',
    find: 'keys.context.words.store32(keys.blocks.dataOf(lock.entry) + DIRTY, 0);',
    replace: '',
    caughtBy: 'a value is computed and deleted, and computed again',
  },
  {
    name: 'a result from before a set is kept',
    in: 'Computations.keep',
    find: '&& !this.#isDirty(lock)',
    replace: '',
    caughtBy: SET,
  },
  {
    name: 'a result from before a clear is kept',
    in: 'Computations.keep',
    find: '&& store.clears === clears',
    replace: '',
    caughtBy: 'the cache is cleared while two calls miss',
  },
  {
    name: 'a set does not mark the computation',
    in: 'Computations.put',
    find: 'this.#dirty(units);',
    replace: '',
    caughtBy: SET,
  },
  {
    name: 'a delete does not mark the computation',
    in: 'Computations.delete',
    find: 'this.#dirty(units);',
    replace: '',
    caughtBy: 'a value is deleted while two calls miss',
  },
  {
    name: 'a result is not kept',
    in: 'Computations.keep',
    find: 'store.put(units, hashOf(units), value, this.#clock());',
    replace: ';',
    caughtBy: TWO,
  },
  {
    name: 'the lock is not released while others wait',
    in: 'Computations.release',
    find: 'if (!locks.owns(lock)) return;',
    replace: 'return;',
    caughtBy: TWO,
  },
  {
    name: 'a lock with waiters leaves the table without waking them',
    in: 'Computations.release',
    find: 'table.drop(lock.entry);',
    replace: 'keys.context.words.store32(4, 0);',
    caughtBy: TWO,
  },
];
