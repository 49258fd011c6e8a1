// Steps by which a reader leaves a read-write lock. States and invariants are in rw-lock.ts.

import {
  asElement,
  BLOCK_TAG,
  FOREIGN,
  IDLE,
  OFFICE,
  SHUT,
  SUCCESSOR_AT,
  type AgentAddress,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/format';
import { add64, get64, load32, minus, put64, rewake, wide } from '@sluice/core/kernel';
import { admitWriter, hasSuccessor, isAsleep, readersOf, writersOf } from './word.ts';

/**
 * A reader leaves. Returns FOREIGN if this agent does not read. Returns NEEDS_WALK if it was the last reader and a
 * writer waits: run the walk. Returns an element if that is a successor's, which must be notified.
 *
 * @takes A read lock: readers - 1. If a writer waits, the last reader gives it a permit (`GRANT` + 1) or wakes the
 *   successor
 * @leaves `ENTRY_HELD` - 1 first; the chain as in `release`; `AGENT_NOTIFY`
 * @death Walk; notify
 */
export function unlockReader(
  lock: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
): Wake | typeof SHUT | typeof FOREIGN | ElementAddress {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const held = get64(entry);
  if (held <= wide(0)) return FOREIGN;
  // Write this before the release: with `jsEngine` an agent may die in between.
  put64(entry, minus(held, wide(1)));
  return removeReaders(lock, tag, agent, 1);
}

/** Removes `count` readers. Returns the results of `unlockReader` for a caller that reads. */
export function removeReaders(lock: LineAddress, tag: i32, agent: AgentAddress, count: i32): Wake | ElementAddress {
  // Lost wake-up, leaver's side: the addition shows whether a writer was counted before it. Pairs with `enqueueWriter`:
  // a writer that is counted later finds no reader, and enters.
  const office = add64(lock + OFFICE, wide(-count));
  if (readersOf(office) !== count || writersOf(office) === 0) return IDLE;
  if (!hasSuccessor(office)) return admitWriter(lock, agent);
  // Lost wake-up, leaver's side: read this after the addition. Until then the successor may still go to sleep. Pairs
  // with `parkInTurns`, which writes SUCCESSOR_AT before ASLEEP. If the successor has cancelled meanwhile and the lock
  // was freed, the word may belong to another primitive. The tag shows this, because it is read after the word.
  const element = asElement(load32(lock + SUCCESSOR_AT));
  return load32(lock + BLOCK_TAG) === tag ? wakeSuccessor(agent, office, element) : IDLE;
}

/** Wakes the successor if it sleeps. `office` is the word before the successor could enter. */
export function wakeSuccessor(agent: AgentAddress, office: i64, element: ElementAddress): typeof IDLE | ElementAddress {
  if (!isAsleep(office)) return IDLE;
  const woken = rewake(agent, element);
  return woken === 0 ? IDLE : woken;
}
