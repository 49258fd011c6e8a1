// The entry of the models of this package's semaphores. A mutant is this entry bundled with one line changed.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { OwnKernel } from '../../src/own-kernel.ts';

export * from '../../../core/test/model/entry.ts';
export * from '../../src/index.ts';
export { PRIORITY } from '../../src/kinds.ts';
export { RESIZABLE } from '../../src/resizable-kind.ts';

/** The core's steps and those of this package's semaphores, bound to `words`. */
export function referenceKernel(words: Words): OwnKernel {
  return boundTo(words, { ...base, ...steps });
}
