// Mutants of the waits that share a place: each changes one line, and the check that it names must catch it.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

export const SHARED_PLACE_MUTANTS: readonly Mutant[] = [
  {
    name: 'each wait takes a place',
    in: 'SharedPlace.wait',
    find: 'if (this.#waits.size === 1) this.#settle();',
    replace: 'this.#place = undefined; this.#settle();',
    caughtBy: 'a hundred waits share one element, and get permits in call order',
  },
  {
    name: 'no further place is taken after a permit came',
    in: 'SharedPlace.#taken',
    find: 'if (this.#place === place) this.#place = undefined;',
    replace: '',
    caughtBy: 'a hundred waits share one element, and get permits in call order',
  },
  {
    name: 'a cancelled wait does not check for its permit',
    in: 'SharedPlace.giveUp',
    find: 'this.#lanes.settle();',
    replace: '',
    caughtBy: 'a wait gets a permit that came before its cancellation in the same turn',
  },
  {
    name: 'the place stays when no wait is left',
    in: 'SharedPlace.#leave',
    find: 'place.abort();',
    replace: '',
    caughtBy: 'the last cancelled wait leaves the lanes',
  },
  {
    name: 'the place is left with the first cancelled wait',
    in: 'SharedPlace.giveUp',
    find: 'wait.isUnderWay && this.#waits.size === 1',
    replace: 'wait.isUnderWay',
    caughtBy: 'a cancelled wait leaves the place to the other waits',
  },
  {
    name: 'a permit that no wait wants is lost',
    in: 'SharedPlace.#settle',
    find: 'this.#lanes.release();',
    replace: 'void 0;',
    caughtBy: 'a permit that comes after all waits were cancelled is released',
  },
  {
    name: "a wait gets its place's permit while it cancels, but still fails",
    in: 'SharedPlace.giveUp',
    find: 'if (wait.isUnderWay) wait.fail(failure());',
    replace: '',
    also: {
      in: 'SharedPlace.giveUp',
      find: 'const place = this.#place;',
      replace: 'const place = this.#place; wait.fail(failure());',
    },
    caughtBy: 'a permit that comes as the last wait leaves the lanes goes to that wait',
  },
  {
    name: 'a permit that came after the check is left to a wake-up',
    in: 'SharedPlace.#leave',
    find: 'this.#lanes.settle();',
    replace: '',
    caughtBy: 'a permit that comes between the check and the leave goes to that wait',
  },
  {
    name: 'close() ends only the first wait',
    in: 'SharedPlace.#ended',
    find: 'if (wait instanceof WaitForPermit) wait.end(outcome);',
    replace: '{ if (wait instanceof WaitForPermit && wait === this.#waits.first(0)) wait.end(outcome); break; }',
    caughtBy: 'close() ends all waits',
  },
  {
    name: 'a failure ends no wait',
    in: 'SharedPlace.#failed',
    find: 'this.#waits.first(0)?.fail(failure);',
    replace: '',
    caughtBy: 'a failure ends the oldest wait, and the next wait takes a place',
  },
  {
    name: 'the next wait takes no place after a failure',
    in: 'SharedPlace.#failed',
    find: 'this.#settle();',
    replace: '',
    caughtBy: 'a failure ends the oldest wait, and the next wait takes a place',
  },
];
