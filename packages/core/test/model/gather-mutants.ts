// Mutants of the merging of tombstones: each changes one line.

import type { Mutant } from './mutants.ts';

export const GATHER_MUTANTS: readonly Mutant[] = [
  {
    name: 'a merged tombstone has only the permits of its first wait',
    in: 'mergeTombstones',
    find: 'put32(element + COUNT, get32(element + COUNT) + get32(next + COUNT));',
    replace: '',
    caughtBy: 'an agent merges tombstones during a release of two permits',
  },
  {
    name: 'an agent merges tombstones on both sides of a waiter',
    in: 'follows',
    find: 'last.ticket + last.permits === next.ticket',
    replace: 'last.ticket < next.ticket',
    caughtBy: 'a waiter between tombstones that are merged does not get the permit of another waiter',
  },
  {
    name: 'an agent merges tombstones of two lines into one',
    in: 'gathered',
    find: 'const address = words.get32(element + LINE);',
    replace: 'const address = words.get32(element + LINE) - words.get32(element + LINE);',
    caughtBy: 'an agent merges the tombstones of two lines',
  },
  {
    name: 'the last tombstone of a run does not record the tombstone before it',
    in: 'mergeLine',
    find: 'note(words, first, last); first = next;',
    replace: 'first = next;',
    also: {
      in: 'note',
      find: 'words.put32(last.element + MODE, first.permits);',
      replace: 'words.get32(last.element);',
    },
    caughtBy: 'the last waiter leaves behind merged tombstones',
  },
  {
    name: 'a roll-back does not check for the merged tombstone',
    in: 'visitTombstone',
    find: 'detachMerged(agent, element);',
    replace: '',
    caughtBy: 'the last waiter leaves while an agent merges the tombstones before it',
  },
  {
    name: 'a roll-back checks for the merged tombstone one key too late',
    in: 'detachMerged',
    find: 'headKey(element)',
    replace: 'get64(element + DRAWN)',
    caughtBy: 'the last waiter leaves while an agent merges the tombstones before it',
  },
  {
    name: 'a walker that skips a merged tombstone announces only one key',
    in: 'visitTombstone',
    find: 'low32(minus(count, own))',
    replace: '1',
    caughtBy: 'one release of two permits meets merged tombstones',
  },
  {
    name: 'an agent does not put gathered tombstones back',
    in: 'nextToGather',
    find: 'const element = asElement(get32(agent + AGENT_GATHERED));',
    replace: 'const element = asElement(0);',
    caughtBy: 'an agent dies while it merges',
  },
  {
    name: 'only the agent itself puts its gathered tombstones back, not its recovery',
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
    caughtBy: 'an agent merges tombstones during a release of two permits',
  },
  {
    name: 'a gathered tombstone is put back without another check',
    in: 'putBack',
    find: 'reached >= wide(head ? 0 : needs)',
    replace: 'needs !== 0 && reached >= wide(head ? 0 : needs)',
    also: { in: 'PlainChain.isDue', find: 'reached >= wide(0) || isAtEnd(element)', replace: 'isAtEnd(element)' },
    caughtBy: 'an agent merges tombstones during two releases',
  },
  {
    name: 'a tombstone that became the last in line stays there when it is put back',
    in: 'PlainChain.isDue',
    find: 'reached >= wide(0) || isAtEnd(element)',
    replace: 'reached >= wide(0)',
    caughtBy: 'the last waiter leaves while an agent merges the tombstones before it',
  },
];
