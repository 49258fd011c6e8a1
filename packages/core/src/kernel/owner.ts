// A word of a lock's line that names the lock's owner: OFFICE, whose low half is the id of the owning agent.
// FLAGS_OWNERS tells which lines of a block have one (layout.ts). Recovery reads it of every kind of lock; the rest of
// the word is the kind's own.

import { BLOCK_TAG, HEALTH, OFFICE } from './layout.ts';
import {
  IDLE,
  ORPHANED,
  RACED,
  SHUT,
  TAKEN,
  UNRECOVERABLE,
  UNSEEN,
  WAITING,
  type Poll,
  type Unlock,
} from './states.ts';
import { add64, cas64, high32, load32, low32, pair, store32, wide } from './words.ts';
import type { LineAddress } from './addresses.ts';

/** In the high half of the word: HEALTH has a message for the next owner. */
export const NOTICE: i32 = 1;

/** The id of the owner. 0: free. */
export function ownerOf(office: i64): i32 {
  return low32(office);
}

/** Takes the lock if the whole word is 0: free, without waiters and notice. WAITING: it is not. */
export function takeFree(lock: LineAddress, tag: i32, id: i32): Poll {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  return cas64(lock + OFFICE, wide(0), wide(id)) === wide(0) ? TAKEN : WAITING;
}

/**
 * Frees the lock if the whole word is the id of this agent. RACED: an agent waits, there is a notice, or the caller
 * does not own it.
 */
export function freeOwned(lock: LineAddress, tag: i32, id: i32): Unlock {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  return cas64(lock + OFFICE, wide(id), wide(0)) === wide(id) ? IDLE : RACED;
}

/** Marks that a dead agent became owner without knowing. */
export function markUnseen(lock: LineAddress): void {
  add64(lock + OFFICE, pair(0, UNSEEN));
}

export function isUnseen(office: i64): boolean {
  return (high32(office) & UNSEEN) !== 0;
}

export function hasNotice(office: i64): boolean {
  return (high32(office) & NOTICE) !== 0;
}

/** Before a dead owner's lock is passed on: marks that the owner died, so that the next owner is told. */
export function orphan(lock: LineAddress): void {
  if (load32(lock + HEALTH) !== UNRECOVERABLE) store32(lock + HEALTH, ORPHANED);
}
