// The entry of the models of the seq-lock. A mutant is this entry bundled with one line changed.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as mutex from '../../../mutex/src/kernel/steps.ts';
import type { MutexKernel } from '../../../mutex/src/kinds.ts';
import type { SeqSteps } from '../../src/kernel.ts';
import * as steps from '../../src/kernel/steps.ts';

export * from '../../../core/test/model/entry.ts';
export { KeptValue } from '../../src/kept-value.ts';
export { SEQ_LOCK } from '../../src/kinds.ts';
export { NONE, Sequence } from '../../src/sequence.ts';
export { SeqSnapshot } from '../../src/snapshot.ts';
export { Writers } from '../../src/writers.ts';

/** The core's steps, a mutex's and a seq-lock's, bound to `words`. */
export function referenceKernel(words: Words): MutexKernel & SeqSteps {
  return boundTo(words, { ...base, ...mutex, ...steps });
}
