// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { BroadcastKernel } from '../../src/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { broadcastAt, type Broadcast } from '../../src/broadcast.ts';
export { BROADCAST } from '../../src/kinds.ts';
export type { Subscription } from '../../src/subscription.ts';

/** The core's steps and a broadcast's steps, bound to `words`. */
export function referenceKernel(words: Words): BroadcastKernel {
  return boundTo(words, { ...base, ...steps });
}
