// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { LocksKernel } from '../../src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export * as kinds from '../../src/kinds.ts';
export { lifoLockAt } from '../../src/lifo-lock.ts';
export { mcsLockAt } from '../../src/mcs-lock.ts';
export { reciprocatingLockAt } from '../../src/reciprocating-lock.ts';
export { ticketLockAt } from '../../src/ticket-lock.ts';
export { ttsLockAt } from '../../src/tts-lock.ts';

/** The core's steps and the steps of these locks, bound to `words`. */
export function referenceKernel(words: Words): LocksKernel {
  return boundTo(words, { ...base, ...steps });
}
