// Whether agents use a primitive that is to be freed. Their entries are looked up by primitive, so thousands of other
// primitives do not slow the search down. Waiters are searched for among all elements of the arena.

import { BLOCK_TAG, ENTRY_HELD, FLAG_COUNTS_WAITS, FLAGS, HEADER_ELEMENT_POOL, LINE, TAG } from '../kernel/layout.ts';
import type { EntryAddress, LineAddress } from '../kernel/addresses.ts';
import type { Words } from '../kernel/words.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { gateOf, isGranted, isWaiting, ownerOfLock } from './holders-and-waiters.ts';
import { records } from '../memory/records.ts';

/** A line at which agents wait or hold permits. */
export interface UsedLine {
  readonly address: LineAddress;
  readonly tag: number;
}

/** Whether an agent holds a part of the line, waits there, or was admitted and has not seen it. */
export function isUsed(context: AgentContext, line: UsedLine): boolean {
  return isRecorded(context, line) || hasElement(context.words, line, (gate) => isWaiting(gate) || isGranted(gate));
}

/**
 * Whether an agent holds a part of the line, or was granted it and has not seen the grant. For lines whose admitted
 * waiters do not compete.
 */
export function isHeld(context: AgentContext, line: UsedLine): boolean {
  return isRecorded(context, line) || hasElement(context.words, line, isGranted);
}

/** Whether an agent waits at the line and has no verdict yet. */
export function isWaitedFor(context: AgentContext, line: UsedLine): boolean {
  return hasElement(context.words, line, isWaiting);
}

/** Returns the entries in which agents have recorded that they hold a part of the line. */
export function heldEntries(context: AgentContext, { address, tag }: UsedLine): readonly EntryAddress[] {
  return context.entriesOf(address, tag).filter((entry) => context.words.get64(entry + ENTRY_HELD) !== 0n);
}

function isRecorded(context: AgentContext, line: UsedLine): boolean {
  const { words } = context;
  if (words.load32(line.address + BLOCK_TAG) === line.tag && ownerOfLock(words, line.address) !== 0) return true;
  return (words.get32(line.address + FLAGS) & FLAG_COUNTS_WAITS) === 0 && heldEntries(context, line).length > 0;
}

function hasElement(words: Words, { address, tag }: UsedLine, has: (gate: number) => boolean): boolean {
  for (const { record, owner } of records(words, HEADER_ELEMENT_POOL)) {
    if (owner === 0 || words.get32(record + LINE) !== address || words.get32(record + TAG) !== tag) continue;
    if (has(gateOf(words, record))) return true;
  }
  return false;
}
