// The locks that can have conditions.

import { checkNotFreed, LOCK_LINE, show, type LockLine } from '@sluice/core/internal';
import type { Mutex, RecursiveMutex } from '@sluice/mutex';
import type { WriterLock } from '@sluice/rw-lock';

/** A lock that can have conditions. */
export type ConditionLock = Mutex | RecursiveMutex | WriterLock;

/** Throws `TypeError` if it is not a lock that can have conditions, and `MisuseError` if it was freed. */
export function lineOf(lock: unknown): LockLine {
  if (typeof lock !== 'object' || lock === null || !(LOCK_LINE in lock)) {
    throw new TypeError(`The lock must be a Mutex, a RecursiveMutex or the writer of an RwLock: received ${show(lock)}`);
  }
  const { [LOCK_LINE]: line } = lock as ConditionLock;
  checkNotFreed(line.place, 'The lock');
  return line;
}
