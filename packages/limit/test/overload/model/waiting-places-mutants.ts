// Mutants of a limit that sheds calls: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

const NEWEST = 'two agents make two calls each, and the newest is shed';
const OLDEST = 'two agents make two calls each, and the oldest is shed';

export const WAITING_PLACES_MUTANTS: readonly Mutant[] = [
  {
    name: 'a call that starts keeps its place',
    in: 'WaitingCall.left',
    find: 'this.leavePlace?.();',
    replace: '',
    caughtBy: NEWEST,
  },
  {
    name: 'a call waits without a place',
    in: 'WaitingPlaces.#takePlace',
    find: 'if (this.#places.tryAcquire()) return true;',
    replace: 'this.#places.tryAcquire(); return true;',
    caughtBy: NEWEST,
  },
  {
    name: 'a call that has a place does not know it',
    in: 'WaitingPlaces.enter',
    find: 'call.leavePlace = this.#leave;',
    replace: '',
    caughtBy: NEWEST,
  },
  {
    name: 'a shed call releases the place that another one took over',
    in: 'WaitingPlaces.#shedOne',
    find: 'oldest.leavePlace = undefined;',
    replace: '',
    caughtBy: OLDEST,
  },
  {
    name: 'a call does not know the place that it took over',
    in: 'WaitingPlaces.#shedOne',
    find: 'call.leavePlace = this.#leave;',
    replace: '',
    caughtBy: OLDEST,
  },
  {
    name: 'a call that has its slot releases the place that another one took over',
    in: 'WaitingPlaces.#takePlace',
    find: 'first.leavePlace = undefined;',
    replace: '',
    caughtBy: NEWEST,
  },
  {
    name: 'a call is shed although it has its slot',
    in: 'WaitingPlaces.#takePlace',
    find: 'if (!(hasPlace(first) && queue.isGranted(first, this.#slots) === true)) return false;',
    replace: 'return false;',
    caughtBy: OLDEST,
  },
  {
    name: 'a call is shed that waits behind one that has its slot',
    in: 'WaitingPlaces.#takePlace',
    find: 'queue.isGranted(first, this.#slots) === true',
    replace: 'queue.isGranted(first, this.#slots) === undefined',
    caughtBy: NEWEST,
  },
  {
    name: 'a call takes over a place, and waits in no queue',
    in: 'SlotQueue.replace',
    find: 'this.#line.push(call);',
    replace: '',
    caughtBy: OLDEST,
  },
  {
    name: 'a shed call stays in the queue',
    in: 'SlotQueue.replace',
    find: 'this.#line.remove(old);',
    replace: '',
    caughtBy: OLDEST,
  },
  {
    name: 'a queue that is empty keeps its place in line',
    in: 'SlotQueue.remove',
    find: 'place?.giveUp();',
    replace: '',
    caughtBy: 'calls may be aborted, and the newest is shed',
  },
];
