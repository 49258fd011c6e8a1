// What async waits would break if one line of their loops were wrong.

import type { Mutant } from './mutants.ts';

export const ASYNC_MUTANTS: readonly Mutant[] = [
  {
    name: 'an async wait that was woken does not look again',
    file: 'semaphore/line-async.ts',
    find: '      try {\n        look();\n',
    replace: '      try {\n',
    caughtBy: 'an async wait, a blocking one',
  },
  {
    name: 'a verdict of an async wait settles nothing',
    file: 'semaphore/line-async.ts',
    find: '          settleDue();\n          if (group',
    replace: '          if (group',
    caughtBy: 'an async wait, a blocking one',
  },
  {
    name: 'a verdict settles its own wait only',
    file: 'semaphore/line-async.ts',
    find: '          settleDue();\n          if (group',
    replace: '          settle();\n          if (group',
    caughtBy: 'two async waits get two permits of one release',
  },
  {
    name: 'async waits settle as their verdicts come',
    file: 'arena/async-waits.ts',
    find: '    if (!wait.settle()) return;\n',
    replace: '    wait.settle();\n',
    caughtBy: 'two async waits get two permits of one release',
  },
  {
    name: 'an async wait that gives up does not settle those behind it',
    file: 'semaphore/line-async.ts',
    find: '      end(left, aborted && left !== TAKEN && left !== ADMITTED_DETACHED && left !== SHUT);\n      settleDue();',
    replace: '      end(left, aborted && left !== TAKEN && left !== ADMITTED_DETACHED && left !== SHUT);',
    caughtBy: 'the first of two async waits may be aborted',
  },
  {
    name: 'an async wait that gives up drops the verdict that was first',
    file: 'semaphore/line-async.ts',
    find: '      end(left, aborted && left !== TAKEN && left !== ADMITTED_DETACHED && left !== SHUT);\n',
    replace: '      end(CANCELLED_LEFT_BEHIND, aborted);\n',
    also: { file: 'semaphore/line-async.ts', find: 'import { ADMITTED_DETACHED, PARKED,', replace: 'import { ADMITTED_DETACHED, CANCELLED_LEFT_BEHIND, PARKED,' },
    caughtBy: 'an async wait that may be aborted',
  },
  {
    name: 'an async wait on a condition does not look again after the push',
    file: 'channel/until.ts',
    find: '      const { value, met } = lookAgain(context, element, satisfied);\n      if (met) return value;\n      const how',
    replace: '      const how',
    caughtBy: 'an async wait on a condition',
  },
  {
    name: 'an async wait on a condition that was woken does not look',
    file: 'channel/gate.ts',
    find: '      context.countPark();\n      look();',
    replace: '      context.countPark();',
    caughtBy: 'an async wait on a condition',
  },
];
