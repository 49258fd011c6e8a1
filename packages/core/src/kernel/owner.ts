// A word of a lock's line that names the lock's owner: OFFICE, whose low half is the id of the owning agent. FLAGS_OWNERS tells which lines
// of a block have one (layout.ts). Recovery reads it of every kind of lock; the rest of the word is the kind's own.

import { HEALTH, OFFICE } from './layout.ts';
import { ORPHANED, UNRECOVERABLE, UNSEEN } from './states.ts';
import { add64, high32, load32, low32, pair, store32 } from './words.ts';

/** In the high half of the word: HEALTH has a message for the next owner. */
export const NOTICE: i32 = 1;

/** The id of the owner. 0: free. */
export function ownerOf(office: i64): i32 {
  return low32(office);
}

/** Marks that a dead agent became owner without knowing. */
export function markUnseen(lock: i32): void {
  add64(lock + OFFICE, pair(0, UNSEEN));
}

export function isUnseen(office: i64): boolean {
  return (high32(office) & UNSEEN) !== 0;
}

export function hasNotice(office: i64): boolean {
  return (high32(office) & NOTICE) !== 0;
}

/** Before a dead owner's lock is passed on: marks that the owner died, so that the next owner is told. */
export function orphan(lock: i32): void {
  if (load32(lock + HEALTH) !== UNRECOVERABLE) store32(lock + HEALTH, ORPHANED);
}
