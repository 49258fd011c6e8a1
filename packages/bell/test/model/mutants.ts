import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'ring admits without announcing',
    in: 'admitSome',
    find: 'return announce(bell, agent, add64(bell + GRANT, wide(admitted)), admitted);',
    replace: 'return IDLE;',
    caughtBy: 'one asleep, one ring',
  },
  {
    name: 'a waiter that cancels takes itself off a count of 0',
    in: 'BellOffice.cancel',
    find: 'if (waiters === 0) return TAKEN;',
    replace: '',
    caughtBy: 'a timeout and a ring',
  },
];
