// The sources that models use, as one entry: a mutant is a bundle of it with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { BatonKernel } from '../../src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { BATON } from '../../src/kinds.ts';
export { batonAt, type Baton } from '../../src/baton.ts';

/** The core's steps and a baton's, bound to `words`. */
export function referenceKernel(words: Words): BatonKernel {
  return boundTo(words, { ...base, ...steps });
}
