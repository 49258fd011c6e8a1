// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { ManualEventKernel } from '../../src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { MANUAL_EVENT, ONCE } from '../../src/kinds.ts';
export { manualResetEventAt, type ManualResetEvent } from '../../src/manual-reset-event.ts';
export { onceAt, type Once } from '../../src/once.ts';

/** The core's steps and those of this package, bound to `words`. */
export function referenceKernel(words: Words): ManualEventKernel {
  return boundTo(words, { ...base, ...steps });
}
