// Steps at the slots of a limit: permits of a semaphore whose number any agent may change.
//
//   word      value                                                                          written by
//   (slots)   i64: low half: the number that should exist · high half: the number that exists  resizeLimit, reduceLimit
//
// INVARIANTS
//
//   1. The existing slots are the free permits of the semaphore, the permits on their way to a waiter, and those in
//      agents' ledger entries.
//   2. There are never fewer slots than there should be. An agent that raises the number creates the new slots in the
//      same CAS. An agent that removes slots compares the word that it changes. So even if the word changes between its
//      load and its CAS, no agent removes one slot too many or creates one twice.
//
// Slots that a step creates go to the agent's ledger entry, and slots that it removes come from there. So if an agent
// dies with slots, its recovery releases them.

import { BLOCK_TAG, RACED, SHUT, type EntryAddress, type LineAddress } from '@sluice/core/format';
import { cas64, credit, get64, high32, load32, load64, low32, minus, pair, put64, wide } from '@sluice/core/kernel';

/**
 * Sets the number of slots that should exist. Returns the number of slots that it created, which the agent then holds.
 *
 * @takes The number of slots that should exist, and the slots that it creates: one CAS of both numbers
 * @leaves `ENTRY_HELD` + the created slots
 * @death The created slots are released
 */
export function resizeLimit(line: LineAddress, tag: i32, entry: EntryAddress, slots: i32, size: i32): i32 {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  const seen = load64(slots);
  const there = high32(seen);
  const more = size > there ? size - there : 0;
  if (cas64(slots, seen, pair(size, there + more)) !== seen) return RACED;
  if (more > 0) credit(entry, wide(more));
  return more;
}

/**
 * Removes surplus slots that the agent holds, at most `most`. Returns their number.
 *
 * @takes Surplus slots that the agent holds, by CAS of both numbers
 * @leaves First `ENTRY_HELD` less their number; its old value if the CAS lost
 * @death Nothing: the slots no longer exist
 */
export function reduceLimit(line: LineAddress, tag: i32, entry: EntryAddress, slots: i32, most: i32): i32 {
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  const seen = load64(slots);
  const tooMany = high32(seen) - low32(seen);
  const count = tooMany < most ? tooMany : most;
  const held = get64(entry);
  if (count <= 0 || held < wide(count)) return 0;
  // Before the CAS: with `jsEngine` an agent may die in between, and a lost slot is better than a duplicated one.
  put64(entry, minus(held, wide(count)));
  if (cas64(slots, seen, pair(low32(seen), high32(seen) - count)) === seen) return count;
  put64(entry, held);
  return RACED;
}
