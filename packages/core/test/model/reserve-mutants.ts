// Mutants of the reserve: each changes one line.

import type { Mutant } from './mutants.ts';

const NO_ROOM = 'if (this.#reserved && this.#mode === MODE_ASYNC) throw tooMany(total);';

export const RESERVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'async waits use the reserve',
    in: 'ElementPool.mostToAdd',
    find: NO_ROOM,
    replace: '',
    also: {
      in: 'ElementPool.isFor',
      find: 'this.#mode !== MODE_ASYNC || !isInReserve(words, block)',
      replace: 'words === words || block === 0',
    },
    caughtBy: 'async waits throw while there is room for a primitive',
  },
  {
    name: 'nothing is reserved',
    in: 'BLOCKING_SHARE',
    file: 'agent/element-pool.ts',
    find: '1 / 8',
    replace: '0',
    caughtBy: 'async waits throw while there is room for a primitive',
  },
  {
    name: 'a blocking wait may not use the reserve',
    in: 'ElementPool.mostToAdd',
    find: 'this.#reserved && this.#mode === MODE_ASYNC',
    replace: 'this.#reserved',
    caughtBy: 'a blocking wait gets an element of the reserve',
  },
  {
    name: 'an async wait may use any free element',
    in: 'ElementPool.isFor',
    find: 'this.#mode !== MODE_ASYNC || !isInReserve(words, block)',
    replace: 'words === words || block === 0',
    caughtBy: 'an async wait does not get an element that a blocking wait returned to the reserve',
  },
  {
    name: 'blocks in the reserve are not marked',
    in: 'ElementPool.mark',
    find: 'this.#reserved ? 1 : 0',
    replace: '0',
    caughtBy: 'an async wait does not get an element that a blocking wait returned to the reserve',
  },
  {
    name: 'an agent keeps elements of the reserve for its next wait',
    in: 'SpareElements.keep',
    find: 'this.#pool.borrowed.size > 0 && this.#pool.borrowed.has(element)',
    replace: 'element < 0',
    caughtBy: 'an agent does not keep an element of the reserve',
  },
  {
    name: 'an async wait uses any spare element',
    in: 'SpareElements.refill',
    find: 'mode !== MODE_ASYNC || !this.#pool.borrowed.has(spare)',
    replace: 'spare !== 0',
    caughtBy: 'an async wait does not get the spare element of an agent that blocked',
  },
  {
    name: 'an agent does not return a spare element of the reserve',
    in: 'SpareElements.refill',
    find: 'this.#pool.giveBack(spare);',
    replace: '',
    caughtBy: 'an async wait does not get the spare element of an agent that blocked',
  },
  {
    name: 'an async wait draws its ticket before it has an element',
    in: 'Semaphore.#draw',
    find: 'this.#context.refill(mode);',
    replace: 'this.#context.kernel.acquire(block, tag, entry, permits, this.#agent); this.#context.refill(mode);',
    caughtBy: 'an async wait that throws leaves no trace',
  },
];
