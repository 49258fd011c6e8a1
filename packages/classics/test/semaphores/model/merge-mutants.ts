// What merging tombstones in a line's own chain would break if one line of it were wrong.

import type { Mutant } from '../../../../core/test/model/mutants.ts';

export const MERGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a merged tombstone has the permits of one wait only',
    in: 'mergeNeighbours',
    find: 'put32(kept + COUNT, get32(kept + COUNT) + get32(gone + COUNT));',
    replace: '',
    caughtBy: 'tombstones were merged before two permits come at once',
  },
  {
    name: 'a merged tombstone has the ticket of the one that hung higher',
    in: 'mergeNeighbours',
    find: 'if (minus(ticket, get64(kept + AT)) < wide(0)) put64(kept + AT, ticket);',
    replace: '',
    caughtBy: 'tombstones were merged before two permits come at once',
  },
  {
    name: 'what hangs below a merged tombstone is lost',
    in: 'mergeNeighbours',
    find: 'get32(gone + NEXT)',
    replace: '0',
    caughtBy: 'a waiter between tombstones that are merged is not let in with the permit of another',
  },
  {
    name: 'tombstones on both sides of a waiter are merged',
    in: 'areNeighbours',
    find: 'last.ticket + last.permits === next.ticket',
    replace: 'last.ticket < next.ticket',
    caughtBy: 'a waiter between tombstones that are merged is not let in with the permit of another',
  },
  {
    name: 'the chain is not walked after a merge',
    in: 'mergeAt',
    find: 'context.finishWalk();',
    replace: '',
    caughtBy: 'tombstones are merged against a release of two',
  },
  {
    name: 'the chain is detached and not recorded',
    in: 'beginMerge',
    find: 'detachOf(agent, line, asChain(line + OWN_CHAIN));',
    replace: 'put32(agent + 120 + 8, load32(line + OWN_CHAIN)); put32(line + OWN_CHAIN, 0);',
    caughtBy: 'an agent dies while it merges',
  },
  {
    name: 'a tombstone that was merged goes back without another look at the permits',
    in: 'putBackTombstone',
    find: 'minus(load64(line + GRANT), ticket) >= wide(needs) || load64(from + TICKET) === end',
    replace: 'load64(from + TICKET) === end',
    caughtBy: 'tombstones are merged against a release of two',
  },
  {
    name: 'a tombstone that came last in line meanwhile stays there when it goes back',
    in: 'putBackTombstone',
    find: 'minus(load64(line + GRANT), ticket) >= wide(needs) || load64(from + TICKET) === end',
    replace: 'minus(load64(line + GRANT), ticket) >= wide(needs)',
    caughtBy: 'the last waiter gives up while tombstones before it are merged',
  },
  {
    name: 'a merged tombstone that is skipped announces one key only',
    in: 'visitUncounted',
    find: 'low32(minus(count, own))',
    replace: '1',
    caughtBy: 'tombstones were merged before two permits come at once',
  },
];
