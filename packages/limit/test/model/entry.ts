// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import type { LimitSteps } from '../../src/kernel/kernel.ts';
import * as steps from '../../src/kernel/steps.ts';

export * from '../../../core/test/model/entry.ts';
export { IntervalSlots } from '../../src/interval/interval-slots.ts';
export { partsOf } from '../../src/api/interval-terms.ts';
export { SizedSlots } from '../../src/slots/sized-slots.ts';
export { IntervalPlace } from '../../src/interval/interval-place.ts';
export { PlaceInLine } from '../../src/line/place-in-line.ts';

/** The core's steps and a limit's steps, bound to `words`. */
export function referenceKernel(words: Words): Kernel & LimitSteps {
  return boundTo(words, { ...base, ...steps });
}
