// Mutants of merging tombstones in a line's own chain: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

export const MERGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a merged tombstone has the permits of only one wait',
    in: 'mergeNeighbours',
    find: 'put32(kept + COUNT, get32(kept + COUNT) + get32(gone + COUNT));',
    replace: '',
    caughtBy: 'two permits come at once after tombstones were merged',
  },
  {
    name: 'a merged tombstone has the ticket of the tombstone higher in the chain',
    in: 'mergeNeighbours',
    find: 'if (minus(ticket, get64(kept + DRAWN)) < wide(0)) put64(kept + DRAWN, ticket);',
    replace: '',
    caughtBy: 'two permits come at once after tombstones were merged',
  },
  {
    name: 'the elements below a merged tombstone are lost',
    in: 'mergeNeighbours',
    find: 'get32(gone + NEXT)',
    replace: '0',
    caughtBy: 'a waiter between merged tombstones does not get the permit of another waiter',
  },
  {
    name: 'tombstones on both sides of a waiter are merged',
    in: 'areNeighbours',
    find: 'last.ticket + last.permits === next.ticket',
    replace: 'last.ticket < next.ticket',
    caughtBy: 'a waiter between merged tombstones does not get the permit of another waiter',
  },
  {
    name: 'the chain is not walked after a merge',
    in: 'mergeAt',
    find: 'context.finishWalk();',
    replace: '',
    caughtBy: 'tombstones are merged while two permits are released at once',
  },
  {
    name: 'the chain is detached and not recorded',
    in: 'beginMerge',
    find: 'detachOf(agent, line, asChain(line + OWN_CHAIN));',
    replace: 'put32(agent + 120 + 8, load32(line + OWN_CHAIN)); put32(line + OWN_CHAIN, 0);',
    caughtBy: 'an agent dies while it merges',
  },
  {
    name: 'a merged tombstone is put back without another check of the permits',
    in: 'putBackTombstone',
    find: 'minus(load64(line + GRANT), ticket) >= wide(needs) || load64(from + TICKET) === end',
    replace: 'load64(from + TICKET) === end',
    caughtBy: 'tombstones are merged while two permits are released at once',
  },
  {
    name: 'a tombstone that became the last in the queue stays there when it is put back',
    in: 'putBackTombstone',
    find: 'minus(load64(line + GRANT), ticket) >= wide(needs) || load64(from + TICKET) === end',
    replace: 'minus(load64(line + GRANT), ticket) >= wide(needs)',
    caughtBy: 'the last waiter cancels while tombstones before it are merged',
  },
  {
    name: 'a skipped merged tombstone announces only one key',
    in: 'visitUncounted',
    find: 'low32(minus(count, own))',
    replace: '1',
    caughtBy: 'two permits come at once after tombstones were merged',
  },
];
