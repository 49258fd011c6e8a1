// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { LatchKernel } from '../../src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { BARRIER, LATCH } from '../../src/kinds.ts';
export { Barrier, barrierAt } from '../../src/barrier.ts';
export { countdownLatchAt, type CountdownLatch } from '../../src/countdown-latch.ts';

/** The core's steps and a latch's steps, bound to `words`. */
export function referenceKernel(words: Words): LatchKernel {
  return boundTo(words, { ...base, ...steps });
}
