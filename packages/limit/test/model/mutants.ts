// Mutants of the slots of a limit: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'an agent that removes slots does not compare the word that it changes',
    in: 'reduceLimit',
    find: 'cas64(slots, seen, pair(low32(seen), high32(seen) - count)) === seen',
    replace: 'cas64(slots, load64(slots), pair(low32(seen), high32(load64(slots)) - count)) !== wide(-1)',
    caughtBy: 'both agents lower the number',
  },
  {
    name: 'an agent that raises the number does not compare the word that it changes',
    in: 'resizeLimit',
    find: 'cas64(slots, seen, pair(size, there + more)) !== seen',
    replace: 'cas64(slots, load64(slots), pair(size, high32(load64(slots)) + more)) === wide(-1)',
    caughtBy: 'both agents raise the number',
  },
  {
    name: 'an agent that raises the number also creates slots that exist already',
    in: 'resizeLimit',
    find: 'size > there ? size - there',
    replace: 'size > low32(seen) ? size - low32(seen)',
    caughtBy: 'one agent lowers and raises the number while two run functions',
  },
  {
    name: 'an agent that removes slots removes all that it holds',
    in: 'reduceLimit',
    find: 'tooMany < most ? tooMany : most',
    replace: 'most',
    caughtBy: 'one agent lowers the number while another runs a function',
  },
  {
    name: 'an agent that lost the race to remove slots still holds them',
    in: 'reduceLimit',
    find: 'put64(entry, held);',
    replace: '',
    caughtBy: 'death of an agent that lowers the number while another sets it',
  },
  {
    name: 'removed slots stay in the ledger',
    in: 'reduceLimit',
    find: 'put64(entry, minus(held, wide(count)));',
    replace: '',
    caughtBy: 'one agent lowers the number while another runs a function',
  },
  {
    name: 'created slots are not in the ledger',
    in: 'resizeLimit',
    find: 'if (more > 0) credit(entry, wide(more));',
    replace: '',
    caughtBy: 'death of an agent that raises the number',
  },
  {
    name: 'a release does not check for surplus slots afterwards',
    in: 'SizedSlots.releaseSlots',
    find: 'this.#takeSurplus()',
    replace: 'inHand > 0 ? 0 : this.#takeSurplus()',
    caughtBy: 'one agent lowers the number while two run functions',
  },
  {
    name: 'an agent that lowers the number does not remove free slots',
    in: 'SizedSlots.releaseSlots',
    find: 'this.#takeSurplus()',
    replace: 'inHand === 0 ? 0 : this.#takeSurplus()',
    caughtBy: 'both agents lower the number',
  },
  {
    name: 'a slot is handed on while there are surplus slots',
    in: 'SizedSlots.wanted',
    find: 'words.load32(this.at + 4) > words.load32(this.at)',
    replace: 'false',
    caughtBy: 'one agent hands its slot on while another lowers the number',
  },
  {
    name: 'a slot is handed on past a waiter',
    in: 'Slots.wanted',
    find: '-kernel.balance(address)',
    replace: '0',
    caughtBy: 'one agent hands its slot on while another waits',
  },
];
