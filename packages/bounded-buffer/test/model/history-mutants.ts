// Mutants of the buffer, each of which changes one line: every word stays correct, but a call returns a wrong result.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const HISTORY_MUTANTS: readonly Mutant[] = [
  {
    name: 'an arriving agent uses only what it saw of the other side before',
    in: 'mayEnter',
    find: 'unitsSeen(side) >= count || unitsNow(side) >= count',
    replace: 'unitsSeen(side) >= count',
    caughtBy: 'history of non-blocking calls',
  },
  {
    name: 'the agent inside uses only what it saw of the other side before',
    in: 'lookInside',
    find: 'put64(side + SEEN, load64(otherOf(side) + POSITION)); if (unitsSeen(side) >= count) return TAKEN;',
    replace: '',
    caughtBy: 'history of non-blocking calls',
  },
  {
    name: 'a line has several heads at once, and race for the lock',
    in: 'admitHead',
    find: 'store32(side + HAS_HEAD, 1);',
    replace: '',
    caughtBy: 'history of values that go to waiters in queue order',
  },
];
