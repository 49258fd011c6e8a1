// The locks that can have conditions.

import type { OwnedLock } from '@sluice/core';
import { show } from '@sluice/core/calls';
import { checkNotFreed, LOCK_LINE, type LockLine } from '@sluice/core/internal';

/** A lock that can have conditions: a `Mutex`, a `RecursiveMutex` or the `writer` of an `RwLock`. */
export type ConditionLock = OwnedLock & { readonly owned: boolean; readonly [LOCK_LINE]: LockLine };

/**
 * Returns the line of `lock`. Throws `TypeError` if `lock` cannot have conditions, and `MisuseError` if it was freed.
 */
export function lineOf(lock: unknown): LockLine {
  if (typeof lock !== 'object' || lock === null || !(LOCK_LINE in lock)) {
    throw new TypeError(
      `The lock must be a Mutex, a RecursiveMutex or the writer of an RwLock: received ${show(lock)}`,
    );
  }
  const { [LOCK_LINE]: line } = lock as ConditionLock;
  checkNotFreed(line.ref, 'The lock');
  return line;
}
