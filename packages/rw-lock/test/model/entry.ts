// The entry of the models of read-write locks. A mutant is this entry bundled with one line changed.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { RwKernel } from '../../src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { RW_LOCK, WRITERS } from '../../src/kinds.ts';
export { writersTraits } from '../../src/turn-traits.ts';
export { rwLockAt, type RwLock } from '../../src/rw-lock.ts';

/** The core's steps and a read-write lock's, bound to `words`. */
export function referenceKernel(words: Words): RwKernel {
  return boundTo(words, { ...base, ...steps });
}
