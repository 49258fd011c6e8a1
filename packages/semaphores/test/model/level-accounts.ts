// Checks the words of a priority semaphore while no agent is within a step: the invariants of levels.ts.

import type { Words } from '@sluice/model';
import { DRAWN, GATE, GRANT, OWNER, LINE, TICKET } from '../../../core/src/kernel/layout.ts';
import { ABANDONED } from '../../../core/src/kernel/states.ts';
import { elementAt } from '../../../core/test/model/places.ts';
import { DEALER, LEVEL_WAITERS, LEVELS, UNDEALT } from '../../src/kernel/layout.ts';
import { behind, conserved, counter, FRONT, isQuiet, lineAt, type Extent } from './front-accounts.ts';

/** Returns a fault. No agent may be within a step, and the semaphore must be open. */
export function faultOf(words: Words, extent: Extent): string | undefined {
  if (!isQuiet(words, extent)) return undefined;
  const count = counter(words, FRONT + GRANT);
  const undealt = words.load32(behind(0) + UNDEALT);
  if (words.load64(FRONT + TICKET) !== 0n) return 'an agent drew a ticket at the box office';
  if (words.load32(behind(0) + DEALER) !== 0) return 'an agent deals while no agent is within a step';
  if (undealt < 0) return `${undealt} permits are undealt`;
  let [counted, promised] = [0, 0];
  for (let level = 0; level < LEVELS; level++) {
    const line = lineAt(words, level, extent);
    const waiters = words.load32(behind(level) + LEVEL_WAITERS);
    if (line.counted !== waiters + line.promised)
      return `${line.counted} agents wait in level ${level}, but ${waiters} are counted and ${line.promised} permits were dealt`;
    counted += waiters;
    promised += line.promised;
  }
  if (counted !== Math.max(0, -count) + undealt)
    return `${counted} agents are counted in the levels, but the count is ${count} and ${undealt} permits are undealt`;
  return conserved(words, extent, Math.max(0, count), promised + undealt);
}

/** Returns whether a permit is undealt although an agent waits for one, and no agent has the duty to deal it. */
export function isForgotten(words: Words): boolean {
  return words.load32(behind(0) + UNDEALT) !== 0;
}

/** Returns the tombstones that remain when no agent continues: they have waiters before and behind them. */
export function remains(
  words: Words,
  { elements }: Extent,
): { readonly tombstones: number; readonly forgotten?: string } {
  let [tombstones, forgotten] = [0, undefined as string | undefined];
  for (let at = 0; at < elements; at++) {
    const element = elementAt(at);
    const level = words.get32(element + LINE);
    if (words.load32(element + OWNER) === 0 || words.load32(element + GATE) !== ABANDONED) continue;
    const ticket = counter(words, element + DRAWN);
    tombstones += 1;
    if (counter(words, level + TICKET) === ticket + 1 || counter(words, level + GRANT) >= ticket)
      forgotten = 'a tombstone is forgotten';
  }
  return { tombstones, ...(forgotten === undefined ? {} : { forgotten }) };
}
