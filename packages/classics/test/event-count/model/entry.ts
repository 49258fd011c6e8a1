// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../../core/src/kernel/steps.ts';
import type { WaitingPolicy } from '../../../../core/src/api/waiting-policy.ts';
import type { BlockRef } from '../../../../core/src/arena/block-ref.ts';
import { boundTo, type Words } from '../../../../core/src/kernel/words.ts';
import { EventCount } from '../../../src/event-count/event-count.ts';
import * as steps from '../../../src/event-count/kernel/steps.ts';
import type { EventCountKernel } from '../../../src/event-count/kinds.ts';

export * from '../../../../core/test/model/entry.ts';
export type { EventCount };
export { EVENT_COUNT } from '../../../src/event-count/kinds.ts';

/** Opens an event count over words that exist already. */
export function eventCountAt(ref: BlockRef, policy: WaitingPolicy): EventCount {
  return Reflect.construct(EventCount, [ref, policy]) as EventCount;
}

/** The core's steps and those of the event count, bound to `words`. */
export function referenceKernel(words: Words): EventCountKernel {
  return boundTo(words, { ...base, ...steps });
}
