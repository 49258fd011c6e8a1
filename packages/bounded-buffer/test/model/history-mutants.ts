// The source with one line wrong: each leaves every word as it should be, and tells an agent what it should not.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const KERNEL = 'kernel/buffer.ts';

export const HISTORY_MUTANTS: readonly Mutant[] = [
  {
    name: 'who comes looks only at what it saw of the other side before',
    file: KERNEL,
    find: '  return unitsSeen(side) >= count || unitsNow(side) >= count;\n',
    replace: '  return unitsSeen(side) >= count;\n',
    caughtBy: 'history of looks',
  },
  {
    name: 'who is inside looks only at what it saw of the other side before',
    file: KERNEL,
    find:
      '  put64(side + SEEN, load64(otherOf(side) + POSITION));\n' +
      '  if (unitsSeen(side) >= count) return TAKEN;\n  return ended',
    replace: '  return ended',
    caughtBy: 'history of looks',
  },
  {
    name: 'several agents have the turn at once, and race for the lock',
    file: KERNEL,
    find: '  store32(side + TURN, 1);\n',
    replace: '',
    caughtBy: 'history of values that follow the line',
  },
];
