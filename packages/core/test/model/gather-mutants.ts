// Mutants of the merging of tombstones: the source with one line wrong.

import type { Mutant } from './mutants.ts';

export const GATHER_MUTANTS: readonly Mutant[] = [
  {
    name: 'a merged tombstone has the permits of its first wait only',
    in: 'mergeTombstones',
    find: 'put32(element + COUNT, get32(element + COUNT) + get32(next + COUNT));',
    replace: '',
    caughtBy: 'tombstones are merged against a release of two permits',
  },
  {
    name: 'tombstones on both sides of a waiter are merged',
    in: 'follows',
    find: 'last.ticket + last.permits === next.ticket',
    replace: 'last.ticket < next.ticket',
    caughtBy: 'a waiter between tombstones that are merged is not let in with the permit of another',
  },
  {
    name: 'tombstones of two lines are merged',
    in: 'gathered',
    find: 'const address = words.get32(element + SEM);',
    replace: 'const address = words.get32(element + SEM) - words.get32(element + SEM);',
    caughtBy: 'tombstones of two lines are merged',
  },
  {
    name: 'the last tombstone of a run does not note what is before it',
    in: 'mergeLine',
    find: 'note(words, first, last); first = next;',
    replace: 'first = next;',
    also: {
      in: 'note',
      find: 'words.put32(last.element + MODE, first.permits);',
      replace: 'words.get32(last.element);',
    },
    caughtBy: 'the last waiter leaves behind tombstones that were merged',
  },
  {
    name: 'a roll-back does not look for the merged tombstone',
    in: 'visitTombstone',
    find: 'detachMerged(agent, element);',
    replace: '',
    caughtBy: 'the last waiter leaves while tombstones before it are merged',
  },
  {
    name: 'a roll-back looks for the merged tombstone one key too late',
    in: 'detachMerged',
    find: 'headKey(element)',
    replace: 'get64(element + AT)',
    caughtBy: 'the last waiter leaves while tombstones before it are merged',
  },
  {
    name: 'a merged tombstone that is skipped announces one key only',
    in: 'visitTombstone',
    find: 'low32(minus(count, own))',
    replace: '1',
    caughtBy: 'tombstones were merged before two permits come at once',
  },
  {
    name: 'gathered tombstones are not put back',
    in: 'nextToGather',
    find: 'const element = asElement(get32(agent + AGENT_GATHERED));',
    replace: 'const element = asElement(0);',
    caughtBy: 'an agent dies while it merges',
  },
  {
    name: 'only the agent itself puts back what it gathered',
    in: 'AgentContext.finishWalk',
    find: 'const next = waiting.walk(agent);',
    replace: 'if (agent !== this.agent) words.put32(agent + 80, 0); const next = waiting.walk(agent);',
    caughtBy: 'an agent dies while it merges',
  },
  {
    name: 'a gathered tombstone stays claimed',
    in: 'visitTombstone',
    find: 'store32(element + GATE, ABANDONED);',
    replace: 'if (!isGathering(agent)) store32(element + GATE, ABANDONED);',
    caughtBy: 'tombstones are merged against a release of two permits',
  },
  {
    name: 'a tombstone that was gathered goes back without another check',
    in: 'putBack',
    find: 'reached >= wide(head ? 0 : needs)',
    replace: 'needs !== 0 && reached >= wide(head ? 0 : needs)',
    also: { in: 'PlainChain.isDue', find: 'reached >= wide(0) || isAtEnd(element)', replace: 'isAtEnd(element)' },
    caughtBy: 'tombstones are merged against two releases',
  },
  {
    name: 'a tombstone that came last in line meanwhile stays there when it is put back',
    in: 'PlainChain.isDue',
    find: 'reached >= wide(0) || isAtEnd(element)',
    replace: 'reached >= wide(0)',
    caughtBy: 'the last waiter leaves while tombstones before it are merged',
  },
];
