// The entry of the models of mutexes. A mutant is this entry bundled with one line changed.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { MutexKernel } from '../../src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { MUTEX, RECURSIVE_MUTEX } from '../../src/kinds.ts';
export { turnBehaviour } from '../../src/turn-traits.ts';
export { mutexAt, type Mutex } from '../../src/mutex.ts';
export { recursiveMutexAt, type RecursiveMutex } from '../../src/recursive-mutex.ts';

/** The core's steps and a mutex's, bound to `words`. */
export function referenceKernel(words: Words): MutexKernel {
  return boundTo(words, { ...base, ...steps });
}
