// The report that a recovery fills in while it repairs a dead agent's state.

import type { KindSteps } from '../agent/kind.ts';
import type { LineAddress } from '../kernel/addresses.ts';
import { ADMITTED_DETACHED, TAKEN, type Verdict } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import { isOwnedLock } from '../memory/lock-health.ts';
import { blockOf } from '../memory/blocks.ts';
import { ownedLines, ownerOfLine } from '../report/holders-and-waiters.ts';
import { readName } from '../memory/name.ts';
import type { LostLock, ReclaimReport } from './reclaim-report.ts';

/** A report that is being filled in. */
export type Losses = {
  -readonly [Key in keyof ReclaimReport]: ReclaimReport[Key] extends readonly (infer Item)[]
    ? Item[]
    : ReclaimReport[Key];
};

/**
 * Returns an empty report. `agent` is the id of the dead agent. `finished` lists recoveries that this agent had begun.
 */
export function noLosses(agent: number, finished: ReclaimReport[]): Losses {
  return {
    agent,
    permits: [],
    ticketsWithdrawn: 0,
    chainsFinished: 0,
    locksOrphaned: [],
    buffersInterrupted: [],
    blocksFreed: 0,
    pending: [],
    finished,
  };
}

/**
 * Records a grant for a wait without an entry. `notesGrants` tells whether the kind notes grants in entries, and passes
 * on those of lines without one.
 */
export function noteGrant(
  words: Words,
  losses: Losses,
  line: LineAddress,
  permits: number,
  left: Verdict,
  notesGrants: boolean,
): void {
  if (left !== TAKEN && !(left === ADMITTED_DETACHED && notesGrants)) return;
  if (ownedLines(words, blockOf(words, line)).includes(line) && ownerOfLine(words, line) === losses.agent) return;
  if (isOwnedLock(words, line)) losses.ticketsWithdrawn += 1;
  else notePermits(words, losses, line, permits);
}

export function notePermits(words: Words, losses: Losses, line: number, permits: number): void {
  losses.permits.push({ ...lockAt(words, line), permits });
}

/** Records a primitive once, even if the agent owned several locks of it. */
export function noteLock(
  words: Words,
  losses: Losses,
  line: number,
  list: NonNullable<KindSteps['deadOwnerIn']> = 'locksOrphaned',
): void {
  const lock = lockAt(words, line);
  const all = losses[list];
  if (all.at(-1)?.address !== lock.address) all.push(lock);
}

/** Returns the primitive of that line or block. */
export function lockAt(words: Words, line: number): LostLock {
  const block = blockOf(words, line);
  return { name: readName(words, block), address: block };
}
