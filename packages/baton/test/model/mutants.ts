import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a pass with waiters announces nothing',
    in: 'layDown',
    find: 'status < 0 ? announce(baton, agent, add64(baton + GRANT, wide(1)), 1) : IDLE',
    replace: 'IDLE',
    caughtBy: 'two agents, a turn each',
  },
  {
    name: 'cancelling does not compare the word',
    in: 'BatonOffice.cancel',
    find: 'if (status >= 0) return TAKEN;',
    replace: '',
    caughtBy: 'a timeout',
  },
];
