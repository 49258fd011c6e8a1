// The number of waiting calls of each agent. The limit's line has only one waiter for each agent. So each agent notes
// the number in its ledger entry.

import { tagAt, type BlockRef } from '@sluice/core/internal';
import { entries } from '@sluice/core/report';

// Bytes 24 to 31 of an entry belong to its kind, and are not cleared when the entry is opened. So the count is valid
// only beside the limit's tag.
const ENTRY_PENDING = 24;
const ENTRY_PENDING_TAG = 28;

/** Notes the number of this agent's waiting calls. `entry`: this agent's ledger entry; with 0 it notes nothing. */
export function notePending({ context: { words }, tag }: BlockRef, entry: number, count: number): void {
  if (entry === 0) return;
  // Atomic, and before a look for agents that wait for this change (task-queue/shared-state.ts).
  words.store32(entry + ENTRY_PENDING, count);
  // The tag last: with it, a reader takes the count for this limit's.
  if (words.get32(entry + ENTRY_PENDING_TAG) !== tag) words.store32(entry + ENTRY_PENDING_TAG, tag);
}

/** Returns the number of waiting calls of all agents. */
export function countPending({ context: { words }, address, tag }: BlockRef): number {
  let sum = 0;
  if (tagAt(words, address) !== tag) return sum;
  for (const { entry, address: at, tag: of } of entries(words)) {
    if (at === address && of === tag && words.load32(entry + ENTRY_PENDING_TAG) === tag)
      sum += words.load32(entry + ENTRY_PENDING);
  }
  return sum;
}

/** Returns the number of waiting calls that this agent has noted. */
export function ownPending({ context: { words }, tag }: BlockRef, entry: number): number {
  return entry !== 0 && words.get32(entry + ENTRY_PENDING_TAG) === tag ? words.get32(entry + ENTRY_PENDING) : 0;
}
