// Mutants of the capacitor over a semaphore: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const file = 'capacitor/src/kernel/over-semaphore.ts';

export const OVER_MUTANTS: readonly Mutant[] = [
  {
    name: 'each departure opens the capacitor',
    in: 'departOverCapacitor',
    file,
    find: 'add32(capacitor + TALLY, -1) > 1',
    replace: 'add32(capacitor + TALLY, -1) > 9',
    caughtBy: 'B = 2, three agents',
  },
  {
    name: 'the departure before the last opens the capacitor',
    in: 'departOverCapacitor',
    file,
    find: 'add32(capacitor + TALLY, -1) > 1',
    replace: 'add32(capacitor + TALLY, -1) > 2',
    caughtBy: 'B = 2, three agents',
  },
  {
    name: 'a departure leaves the arrival in the ledger',
    in: 'departOverCapacitor',
    file,
    find: 'put64(entry, minus(inside, wide(1)));',
    replace: '',
    caughtBy: 'B = 2, two agents',
  },
  {
    name: 'the last departure does not reset the tally',
    in: 'departOverCapacitor',
    file,
    find: 'put32(capacitor + TALLY, platoon);',
    replace: '',
    caughtBy: 'B = 1, two agents',
  },
  {
    name: 'the last departure does not release the next platoon',
    in: 'SemaphoreCapacitor.depart',
    find: 'if (departed === TAKEN) this.#semaphore.release(this.bypassLimit);',
    replace: '',
    caughtBy: 'B = 1, two agents',
  },
];

export const OVER_DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'the last agent to depart does not record the permits of the next platoon',
    in: 'departOverCapacitor',
    file,
    find: 'plus(inside, wide(platoon - 1))',
    replace: 'minus(inside, wide(1))',
    caughtBy: 'B = 2, death of one of two agents',
  },
  {
    name: 'the last agent to depart keeps its own arrival in the ledger',
    in: 'departOverCapacitor',
    file,
    find: 'plus(inside, wide(platoon - 1))',
    replace: 'plus(inside, wide(platoon))',
    caughtBy: 'B = 2, death of one of two agents',
  },
  {
    name: 'a departure is recorded, and not counted',
    in: 'departOverCapacitor',
    file,
    find: 'add32(capacitor + TALLY, -1) > 1',
    replace: 'load32(capacitor + TALLY) > 1',
    caughtBy: 'B = 2, death of one of two agents',
  },
];
