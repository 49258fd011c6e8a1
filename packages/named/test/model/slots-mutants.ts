// Mutants of the slots of a keyed limit: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const SLOTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'a call waits for the slots of all keys without a slot of its key',
    in: 'KeySlots.take',
    find: '(this.#tryKey(key) || this.#blockAtKey(key, timeoutMs))',
    replace: '(this.#tryKey(key) || true)',
    caughtBy: 'two calls of one key beside one of another',
  },
  {
    name: 'a call that gives up at the slots of all keys keeps the slot of its key',
    in: 'KeySlots.#thenTotal',
    find: 'if (!isTaken) this.#releaseKey(key);',
    replace: '',
    caughtBy: 'a call gives up at the slots of all keys',
  },
  {
    name: 'a call that finds no slot of all keys keeps the slot of its key',
    in: 'KeySlots.tryTake',
    find: 'this.#thenTotal(key, (total) => total.tryTake())',
    replace: '(this.total?.tryTake() ?? true)',
    caughtBy: 'a call that runs only at once beside another key',
  },
  {
    name: 'a call that ends keeps its slot of all keys',
    in: 'KeySlots.release',
    find: 'this.total?.release();',
    replace: '',
    caughtBy: 'calls of two keys share one slot',
  },
  {
    name: 'a call that ends keeps the slot of its key',
    in: 'KeySlots.release',
    find: 'this.#releaseKey(key);',
    replace: '',
    caughtBy: 'two calls of one key',
  },
  {
    name: 'a call runs without a slot of all keys',
    in: 'KeySlots.#thenTotal',
    find: 'isTaken = take(total);',
    replace: 'isTaken = true;',
    caughtBy: 'calls of two keys share one slot',
  },
];
