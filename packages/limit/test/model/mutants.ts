// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves
// nothing.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'one that takes some away does not compare in the word that it changes',
    in: 'reduceLimit',
    find: 'cas64(slots, seen, pair(low32(seen), high32(seen) - count)) === seen',
    replace: 'cas64(slots, load64(slots), pair(low32(seen), high32(load64(slots)) - count)) !== wide(-1)',
    caughtBy: 'both make it fewer',
  },
  {
    name: 'one that asks for more does not compare in the word that it changes',
    in: 'resizeLimit',
    find: 'cas64(slots, seen, pair(size, there + more)) !== seen',
    replace: 'cas64(slots, load64(slots), pair(size, high32(load64(slots)) + more)) === wide(-1)',
    caughtBy: 'both make it more',
  },
  {
    name: 'slots that are there already are made again',
    in: 'resizeLimit',
    find: 'size > there ? size - there',
    replace: 'size > low32(seen) ? size - low32(seen)',
    caughtBy: 'down and up beside two that run',
  },
  {
    name: 'all in hand are taken away',
    in: 'reduceLimit',
    find: 'tooMany < most ? tooMany : most',
    replace: 'most',
    caughtBy: 'one makes it fewer, one runs',
  },
  {
    name: 'what was taken away is still held when another was faster',
    in: 'reduceLimit',
    find: 'put64(entry, held);',
    replace: '',
    caughtBy: 'death of one that makes it fewer beside one that sets',
  },
  {
    name: 'what is taken away is still held',
    in: 'reduceLimit',
    find: 'put64(entry, minus(held, wide(count)));',
    replace: '',
    caughtBy: 'one makes it fewer, one runs',
  },
  {
    name: 'what is made is not held',
    in: 'resizeLimit',
    find: 'if (more > 0) credit(entry, wide(more));',
    replace: '',
    caughtBy: 'death of one that makes it more',
  },
  {
    name: 'a release does not look again afterwards',
    in: 'SizedSlots.letGo',
    find: 'this.#takeSurplus()',
    replace: 'inHand > 0 ? 0 : this.#takeSurplus()',
    caughtBy: 'one makes it fewer, two run',
  },
  {
    name: 'an agent that lowers the limit does not look what is free',
    in: 'SizedSlots.letGo',
    find: 'this.#takeSurplus()',
    replace: 'inHand === 0 ? 0 : this.#takeSurplus()',
    caughtBy: 'both make it fewer',
  },
  {
    name: 'a slot is handed on although there are too many',
    in: 'SizedSlots.wanted',
    find: 'words.load32(this.at + 4) > words.load32(this.at)',
    replace: 'false',
    caughtBy: 'one hands its slot on, one makes it fewer',
  },
  {
    name: 'a slot is handed on past a waiter',
    in: 'Slots.wanted',
    find: '-kernel.balance(address)',
    replace: '0',
    caughtBy: 'one hands its slot on, one waits',
  },
];
