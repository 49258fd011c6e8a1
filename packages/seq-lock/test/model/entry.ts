// The sources that models use, as one entry: a mutant is a bundle of it with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../../mutex/src/kernel/steps.ts';
import type { MutexKernel } from '../../../mutex/src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { SEQ_LOCK } from '../../src/kinds.ts';
export { Sequence } from '../../src/sequence.ts';
export { Writers } from '../../src/writers.ts';

/** The core's steps and a mutex's, bound to `words`. */
export function referenceKernel(words: Words): MutexKernel {
  return boundTo(words, { ...base, ...steps });
}
