// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { EventKernel } from '../../src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { autoResetEventAt, type AutoResetEvent } from '../../src/auto-reset-event.ts';
export { EVENT } from '../../src/kinds.ts';

/** The core's steps and an event's steps, bound to `words`. */
export function referenceKernel(words: Words): EventKernel {
  return boundTo(words, { ...base, ...steps });
}
