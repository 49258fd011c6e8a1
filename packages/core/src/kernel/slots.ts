// Steps at the slots of a limit: permits of a semaphore, of which any agent may change how many there are.
//
//   word      value                                                                              written by
//   (slots)   i64: low half: how many there should be · high half: how many there are             resize, reduce
//
// INVARIANTS
//
//   1. The slots that there are: free permits of the semaphore, those on their way to who waits, and those in agents' ledger entries.
//   2. There are never fewer than there should be. Who asks for more makes them in the same CAS, and who takes some away compares in
//      the word that it changes: so nobody takes one too many, or makes one twice, whatever happens between its look and its CAS.
//
// What a step makes is on the agent's ledger, and what it takes away comes from there: an agent that dies with some gives them back.

import { credit } from './admit.ts';
import { BLOCK_TAG } from './layout.ts';
import { RACED, SHUT } from './states.ts';
import { cas64, get64, high32, load32, load64, low32, minus, pair, put64, wide } from './words.ts';

/** Sets how many there should be: how many it made, which the agent holds now. */
export function resize(sem: i32, tag: i32, entry: i32, slots: i32, size: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  const seen = load64(slots);
  const there = high32(seen);
  const more = size > there ? size - there : 0;
  if (cas64(slots, seen, pair(size, there + more)) !== seen) return RACED;
  if (more > 0) credit(entry, wide(more));
  return more;
}

/** Takes away those that the agent holds and that there are too many, `most` at the most: how many. */
export function reduce(sem: i32, tag: i32, entry: i32, slots: i32, most: i32): i32 {
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  const seen = load64(slots);
  const tooMany = high32(seen) - low32(seen);
  const count = tooMany < most ? tooMany : most;
  const held = get64(entry);
  if (count <= 0 || held < wide(count)) return 0;
  // Before the CAS: with engine 'js' an agent may die in between, and slots are rather lost than there twice.
  put64(entry, minus(held, wide(count)));
  if (cas64(slots, seen, pair(low32(seen), high32(seen) - count)) === seen) return count;
  put64(entry, held);
  return RACED;
}
