// Whether a mutex is unused, for the owner of a block that has one.

import { OFFICE, OFFICE_HIGH } from '@sluice/core/format';
import { isAwaited, type Words } from '@sluice/core/internal';

/**
 * Whether no agent owns the mutex and none waits for it. With a notice of an earlier owner's death it is unused only
 * `despiteDeath`.
 */
export function isUnusedMutex(words: Words, mutex: number, despiteDeath: boolean): boolean {
  if (words.load32(mutex + OFFICE) !== 0) return false;
  return despiteDeath ? !isAwaited(words, mutex) : words.load32(mutex + OFFICE_HIGH) === 0;
}
