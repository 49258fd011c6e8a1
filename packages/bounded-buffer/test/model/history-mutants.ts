// The source with one line wrong: each leaves every word as it should be, and tells an agent what it should not.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const KERNEL = 'kernel/buffer.ts';

export const HISTORY_MUTANTS: readonly Mutant[] = [
  {
    name: 'who comes looks only at what it saw of the other side before',
    file: KERNEL,
    find: '  return unitsSeen(side) >= more || unitsNow(side) >= more;\n',
    replace: '  return unitsSeen(side) >= more;\n',
    caughtBy: 'history of looks',
  },
  {
    name: 'who is inside looks only at what it saw of the other side before',
    file: KERNEL,
    find:
      '  put64(side + SEEN, load64(otherOf(side) + POSITION));\n  recall(side);\n' +
      '  if (unitsSeen(side) >= count) return TAKEN;\n',
    replace: '  recall(side);\n  if (unitsSeen(side) >= count) return TAKEN;\n',
    caughtBy: 'history of looks',
  },
];
