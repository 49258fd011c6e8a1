// The sources that models use, as one entry: a mutant is a bundle of it with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { BellKernel } from '../../src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { BELL } from '../../src/kinds.ts';
export { bellAt, type Bell } from '../../src/bell.ts';

/** The core's steps and a bell's, bound to `words`. */
export function referenceKernel(words: Words): BellKernel {
  return boundTo(words, { ...base, ...steps });
}
