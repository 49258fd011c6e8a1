// What selections would break if one line were wrong. Two sources that are ready in the same turn of the event loop are
// beyond the model, which runs one event at a time: select.test.ts has them.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const SELECT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a call that declines keeps the lock and the turn',
    in: 'takeIfWanted',
    find: 'else consumers.commit(0, 0);',
    replace: '',
    caughtBy: 'a pop that declines passes the turn on',
  },
  {
    name: 'a call that declines takes the value nevertheless',
    in: 'takeIfWanted',
    find: 'else consumers.commit(0, 0);',
    replace: 'else consumers.commit(1, 1);',
    caughtBy: 'a pop that declines leaves the value',
  },
  {
    name: 'a put that declines leaves its room used',
    in: 'putIfWanted',
    find: 'else producers.commit(0, 0);',
    replace: 'else producers.commit(1, 1);',
    caughtBy: 'a push that declines leaves the room',
  },
  {
    name: 'the waits of the losers go on',
    in: 'Selection.#waitAt',
    find: 'this.#stop.abort(LOST);',
    replace: '',
    caughtBy: 'a selection of two takes gets one value',
  },
  {
    name: 'a loser that was cancelled is taken for a failure',
    in: 'Selection.#waitAt',
    find: 'if (this.#hasWinner() ? this.#winner !== key : signal.aborted || this.#isSkipped(failure)) return;',
    replace: '',
    caughtBy: 'a selection of two takes gets one value',
  },
];
