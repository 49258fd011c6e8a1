// The word OFFICE of a lock's line. Its low half is the id of the lock's owner. The bits from OWNERS_AT tell which
// lines of a block have such a word (layout.ts). Recovery reads the low half of every kind of lock. The kind defines
// the rest of the word.

import { BLOCK_TAG, HEALTH, OFFICE } from './layout.ts';
import {
  IDLE,
  NOTICE,
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

/** Returns the id of the owner, or 0 if the lock is free. */
export function ownerOf(office: i64): i32 {
  return low32(office);
}

/** Takes the lock if the whole word is 0, that is, free without waiters and notice. Returns WAITING if it is not. */
export function takeFree(lock: LineAddress, tag: i32, id: i32): Poll {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  return cas64(lock + OFFICE, wide(0), wide(id)) === wide(0) ? TAKEN : WAITING;
}

/**
 * Frees the lock if the whole word is the id of this agent. Returns RACED if an agent waits, if there is a notice, or
 * if the caller does not own the lock.
 */
export function freeOwned(lock: LineAddress, tag: i32, id: i32): Unlock {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  return cas64(lock + OFFICE, wide(id), wide(0)) === wide(id) ? IDLE : RACED;
}

/** Records that a dead agent became owner without knowing it. */
export function markUnseen(lock: LineAddress): void {
  add64(lock + OFFICE, pair(0, UNSEEN));
}

export function isUnseen(office: i64): boolean {
  return (high32(office) & UNSEEN) !== 0;
}

export function hasNotice(office: i64): boolean {
  return (high32(office) & NOTICE) !== 0;
}

/** Records that the owner died. Call it before a dead owner's lock is passed on, so that the next owner is told. */
export function orphan(lock: LineAddress): void {
  if (load32(lock + HEALTH) !== UNRECOVERABLE) store32(lock + HEALTH, ORPHANED);
}
