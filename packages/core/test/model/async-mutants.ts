// What async waits would break if one line of their loops were wrong.

import type { Mutant } from './mutants.ts';

export const ASYNC_MUTANTS: readonly Mutant[] = [
  {
    name: 'an async wait that was woken does not look again',
    in: 'waitInLineAsync',
    find: '{ look(); }',
    replace: '{ }',
    caughtBy: 'an async wait, a blocking one',
  },
  {
    name: 'a verdict of an async wait settles nothing',
    in: 'waitInLineAsync',
    find: 'settleDue(); if ((group !== ALONE && context.hasVerdict(element)) || !asyncWaits.has(wait)) return;',
    replace: 'if ((group !== ALONE && context.hasVerdict(element)) || !asyncWaits.has(wait)) return;',
    caughtBy: 'an async wait, a blocking one',
  },
  {
    name: 'a verdict settles its own wait only',
    in: 'waitInLineAsync',
    find: 'settleDue(); if ((group !== ALONE && context.hasVerdict(element)) || !asyncWaits.has(wait)) return;',
    replace: 'settle(); if ((group !== ALONE && context.hasVerdict(element)) || !asyncWaits.has(wait)) return;',
    caughtBy: 'two async waits get two permits of one release',
  },
  {
    name: 'async waits settle as their verdicts come',
    in: 'AsyncWaits.#settleLine',
    find: 'if (!wait.settle()) return;',
    replace: 'wait.settle();',
    caughtBy: 'two async waits get two permits of one release',
  },
  {
    name: 'what is left of a turn never settles',
    in: 'AsyncWaits.settle',
    find: 'this.settle();',
    replace: '',
    caughtBy: 'three async waits settle one in a turn',
  },
  {
    name: 'the next turn settles nothing',
    in: 'AsyncWaits.settle',
    find: 'this.#goesOn = false;',
    replace: '',
    caughtBy: 'three async waits settle one in a turn',
  },
  {
    name: 'a turn that is full says nothing to the next one',
    in: 'AsyncWaits.settle',
    find: 'if (this.#left > 0) return;',
    replace: 'return;',
    caughtBy: 'three async waits settle one in a turn',
  },
  {
    name: 'an async wait that gives up does not settle those behind it',
    in: 'waitInLineAsync',
    find: 'if (isGivenUp(left)) end(left, aborted); else { found = left; clearInterval(rounds); } settleDue();',
    replace: 'if (isGivenUp(left)) end(left, aborted); else { found = left; clearInterval(rounds); settleDue(); }',
    caughtBy: 'the first of two async waits may be aborted',
  },
  {
    name: 'an async wait that gives up drops the verdict that was first',
    in: 'waitInLineAsync',
    find: 'if (isGivenUp(left)) end(left, aborted);',
    replace: 'if (isGivenUp(left) || aborted) end(CANCELLED_LEFT_BEHIND, aborted);',
    also: { in: 'import ../kernel/states.ts', file: 'semaphore/line-async.ts', find: 'PARKED', replace: 'PARKED, CANCELLED_LEFT_BEHIND' },
    caughtBy: 'an async wait that may be aborted',
  },
  {
    name: 'an async wait that gives up and finds a verdict settles before those ahead of it',
    in: 'waitInLineAsync',
    find: 'isGivenUp(left)',
    replace: 'left !== SHUT',
    caughtBy: 'three async waits settle two in a turn, and the second may be aborted',
  },
  {
    name: 'an async wait on a condition does not look again after the push',
    in: 'awaitAtBucket',
    find: 'const { value, met } = lookAgain(context, element, satisfied); if (met) return value;',
    replace: '',
    caughtBy: 'an async wait on a condition',
  },
  {
    name: 'an async wait on a condition that was woken does not look',
    in: 'gateOpens',
    find: 'if (over) return; context.countPark(); look();',
    replace: 'if (over) return; context.countPark();',
    caughtBy: 'an async wait on a condition',
  },
];
