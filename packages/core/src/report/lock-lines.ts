// Lines whose waiters wait until every agent that holds a part of the line has left.

import { FLAG_GATE, FLAGS } from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import { blockOf } from '../memory/blocks.ts';
import { isOwnedLock } from '../memory/lock-health.ts';

/** Whether the holders of that line are waited for until all of them have left: a lock, a gate or a seat. */
export function isLockLine(words: Words, line: number): boolean {
  return isOwnedLock(words, line) || isGate(words, line) || isSeat(words, line);
}

/** The target of a wait at a line: the line's block, which may have several holders, or a seat, which has one. */
export function lockAt(words: Words, line: number): number {
  return isSeat(words, line) ? line : blockOf(words, line);
}

/**
 * Whether the line is a seat of a lock: agents queue there before they queue for the lock itself, and only the holder
 * of the seat blocks them.
 */
function isSeat(words: Words, line: number): boolean {
  const block = blockOf(words, line);
  return line !== block && isOwnedLock(words, block) && !isOwnedLock(words, line);
}

/** Whether waiters there wait until every agent that holds a part of it has left. */
function isGate(words: Words, address: number): boolean {
  return (words.get32(address + FLAGS) & FLAG_GATE) !== 0;
}
