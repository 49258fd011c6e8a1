// Steps at the slots of a limit: permits of a semaphore whose number any agent may change.
//
//   word      value                                                                              written by
//   (slots)   i64: low half: how many there should be · high half: how many there are             resize, reduce
//
// INVARIANTS
//
//   1. The existing slots are the free permits of the semaphore, the permits on their way to a waiter, and those in
//      agents' ledger entries.
//   2. There are never fewer slots than there should be. An agent that raises the number makes the new slots in the
//      same CAS. An agent that takes slots away compares in the word that it changes. So no agent takes one too many or
//      makes one twice, whatever happens between its look and its CAS.
//
// Slots that a step makes are on the agent's ledger, and slots that it takes away come from there: an agent that dies
// with slots gives them back.

import {
  BLOCK_TAG,
  cas64,
  credit,
  get64,
  high32,
  load32,
  load64,
  low32,
  minus,
  pair,
  put64,
  RACED,
  SHUT,
  wide,
  type EntryAddress,
  type LineAddress,
} from '@sluice/core/kernel';

/**
 * Sets how many slots there should be. Returns how many it made, which the agent holds now.
 *
 * @takes How many slots of a limit there should be; those that it makes: one CAS of both numbers
 * @leaves `ENTRY_HELD` + as many
 * @death Given back: they are free
 */
export function resize(sem: LineAddress, tag: i32, entry: EntryAddress, slots: i32, size: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  const seen = load64(slots);
  const there = high32(seen);
  const more = size > there ? size - there : 0;
  if (cas64(slots, seen, pair(size, there + more)) !== seen) return RACED;
  if (more > 0) credit(entry, wide(more));
  return more;
}

/**
 * Takes away surplus slots that the agent holds, at most `most`. Returns their number.
 *
 * @takes Slots in its hands that there are too many, by CAS of both numbers
 * @leaves `ENTRY_HELD` - as many, first; as before when the CAS lost
 * @death Nothing: they are gone
 */
export function reduce(sem: LineAddress, tag: i32, entry: EntryAddress, slots: i32, most: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
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
