// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import type { Kernel } from '../../../../core/src/kernel/kernel.ts';
import * as base from '../../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../../core/src/kernel/words.ts';
import type { RateSteps } from '../../../src/rate/kernel/kernel.ts';
import * as steps from '../../../src/rate/kernel/steps.ts';

export * from '../../../../core/test/model/entry.ts';
export { rateLimiterOf, type RateLimiter } from '../../../src/rate/rate-limiter.ts';
export { rateOf } from '../../../src/rate/rate.ts';

/** The core's steps and a rate limiter's steps, bound to `words`. */
export function referenceKernel(words: Words): Kernel & RateSteps {
  return boundTo(words, { ...base, ...steps });
}
