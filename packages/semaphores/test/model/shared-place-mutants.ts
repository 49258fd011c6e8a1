// What the waits that share a place would break if one line of it were wrong.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const SHARED_PLACE_MUTANTS: readonly Mutant[] = [
  {
    name: 'each wait takes a place',
    in: 'SharedPlace.wait',
    find: 'if (this.#waits.size === 1) this.#settle();',
    replace: 'this.#place = undefined; this.#settle();',
    caughtBy: 'a hundred waits have one element, and permits in the order of the calls',
  },
  {
    name: 'no place is taken after a permit came',
    in: 'SharedPlace.#taken',
    find: 'if (this.#place === place) this.#place = undefined;',
    replace: '',
    caughtBy: 'a hundred waits have one element, and permits in the order of the calls',
  },
  {
    name: 'a wait gives up without a look at its permit',
    in: 'SharedPlace.giveUp',
    find: 'this.#lanes.settle();',
    replace: '',
    caughtBy: "a permit that came first is the wait's, which gives up in the same turn",
  },
  {
    name: 'the place stays when no wait is left',
    in: 'SharedPlace.#leave',
    find: 'place.abort();',
    replace: '',
    caughtBy: 'the last wait that gives up leaves the lanes',
  },
  {
    name: 'the place goes with the first wait that gives up',
    in: 'SharedPlace.giveUp',
    find: 'wait.isUnderWay && this.#waits.size === 1',
    replace: 'wait.isUnderWay',
    caughtBy: 'one that gives up leaves the place to the others',
  },
  {
    name: 'a permit that no wait wants is lost',
    in: 'SharedPlace.#settle',
    find: 'this.#lanes.release();',
    replace: 'void 0;',
    caughtBy: 'a permit that comes when all have given up is released',
  },
  {
    name: 'a wait that gives up has the permit that its place brought, and fails all the same',
    in: 'SharedPlace.giveUp',
    find: 'if (wait.isUnderWay) wait.fail(failure());',
    replace: '',
    also: {
      in: 'SharedPlace.giveUp',
      find: 'const place = this.#place;',
      replace: 'const place = this.#place; wait.fail(failure());',
    },
    caughtBy: "a permit that comes as the last one leaves the lanes is that wait's",
  },
  {
    name: 'a permit that came after the look is left to a wake-up',
    in: 'SharedPlace.#leave',
    find: 'this.#lanes.settle();',
    replace: '',
    caughtBy: "a permit that comes between the look and the leave is that wait's",
  },
  {
    name: 'a close ends no wait',
    in: 'SharedPlace.#ended',
    find: 'if (wait instanceof WaitForPermit) wait.end(outcome);',
    replace: '{ if (wait instanceof WaitForPermit && wait === this.#waits.first(0)) wait.end(outcome); break; }',
    caughtBy: 'a close ends all of them',
  },
  {
    name: 'a failure ends no wait',
    in: 'SharedPlace.#failed',
    find: 'this.#waits.first(0)?.fail(failure);',
    replace: '',
    caughtBy: 'a failure ends the oldest wait, and the next one takes a place',
  },
  {
    name: 'the next wait takes no place after a failure',
    in: 'SharedPlace.#failed',
    find: 'this.#settle();',
    replace: '',
    caughtBy: 'a failure ends the oldest wait, and the next one takes a place',
  },
];
