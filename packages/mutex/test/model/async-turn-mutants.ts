// Mutants of async calls at a mutex in turns: each changes one line. The case that a mutant names must fail with it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const CALLS = 'async turns, three calls and another agent';
const ENDS = 'async turns, a turn ends';
const ONE = 'async turns, one call in each turn of the event loop';
const DUE = 'async turns, a successor ends the turn';

export const ASYNC_TURN_MUTANTS: readonly Mutant[] = [
  {
    name: 'a turn of async calls never ends',
    in: 'OwnTurn.goesOnHere',
    find: 'now - this.#since >= TURN_MS',
    replace: 'false',
    caughtBy: ENDS,
  },
  {
    name: 'each pass of an async call begins a turn',
    in: 'OwnTurn.#isAnother',
    find: 'begins ? !this.#isShared',
    replace: 'begins ? true',
    caughtBy: ENDS,
  },
  {
    name: 'an agent takes the waiter of another agent for one of its own',
    in: 'InTurns.#goesOnHere',
    find: 'waiters > this.#lineState.asyncWaits.size',
    replace: 'waiters > this.#lineState.asyncWaits.size + 1',
    caughtBy: ENDS,
  },
  {
    name: 'a turn that the successor has ended goes on for async calls',
    in: 'OwnTurn.goesOnHere',
    find: 'othersWait && (high & due) !== 0',
    replace: 'false',
    caughtBy: DUE,
  },
  {
    name: 'any number of calls settle in one turn of the event loop',
    in: 'AsyncWaits.passOn',
    find: 'this.#left === 0 || this.any()?.take() !== true',
    replace: 'this.any()?.take() !== true',
    caughtBy: ONE,
  },
  {
    name: 'a call that got the mutex in a turn stays in line',
    in: 'WaitInLine.take',
    find: 'const left = this.#leaveLine();',
    replace: 'const left = TAKEN;',
    caughtBy: CALLS,
  },
  {
    name: 'a call that got the mutex in a turn settles as one that gave up',
    in: 'WaitInLine.#endTaken',
    find: 'this.#settleWith(TAKEN);',
    replace: 'this.#reject(undefined);',
    caughtBy: CALLS,
  },
];
