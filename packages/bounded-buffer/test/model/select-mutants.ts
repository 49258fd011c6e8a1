// Mutants of selections: each changes one line. The model runs one event at a time, so it cannot show two sources that
// are ready in the same turn of the event loop: select.test.ts tests that.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const SELECT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a call that declines keeps the lock and the head of the line',
    in: 'takeIfWanted',
    find: 'else consumers.commit(0, 0);',
    replace: '',
    caughtBy: 'a pop that declines admits the next head',
  },
  {
    name: 'a call that declines takes the value',
    in: 'takeIfWanted',
    find: 'else consumers.commit(0, 0);',
    replace: 'else consumers.commit(1, 1);',
    caughtBy: 'a pop that declines leaves the value',
  },
  {
    name: 'a push that declines uses its room',
    in: 'putIfWanted',
    find: 'else producers.commit(0, 0);',
    replace: 'else producers.commit(1, 1);',
    caughtBy: 'a push that declines leaves the room',
  },
  {
    name: 'the waits of the losers are not cancelled',
    in: 'Selection.#waitAt',
    find: 'this.#stop.abort(LOST);',
    replace: '',
    caughtBy: 'a selection of two takes consumes one value',
  },
  {
    name: 'a cancelled loser counts as a failure',
    in: 'Selection.#waitAt',
    find: 'if (this.#hasWinner() ? this.#winner !== key : signal.aborted || this.#isSkipped(failure)) return;',
    replace: '',
    caughtBy: 'a selection of two takes consumes one value',
  },
];
