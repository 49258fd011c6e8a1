// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../../core/src/kernel/words.ts';
import * as steps from '../../../src/semaphores/kernel/steps.ts';
import type { MemberKernel } from '../../../src/semaphores/family-kernel.ts';

export * from '../../../../core/test/model/entry.ts';
export * from '../../../src/index.ts';
export { SEMAPHORES } from '../../../src/semaphores/kinds.ts';
export { mergeAt } from '../../../src/semaphores/merge-tombstones.ts';
export { lineAt } from '../../../src/semaphores/inner-semaphores.ts';

/** The core's steps and the steps of this package's semaphores, bound to `words`. */
export function referenceKernel(words: Words): MemberKernel {
  return boundTo(words, { ...base, ...steps });
}
