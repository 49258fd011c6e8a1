// The rate limiter's kernel. A rate limiter is not a block kind of its own: its waiters wait at semaphores, which the
// core recovers.

import type { KernelSource } from '@sluice/core/internal';
import type * as steps from './steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './wasm.generated.ts';

export type RateSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };

export const RATE_KERNEL: KernelSource<RateSteps> = {
  entry: '@sluice/limit',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['takeAtRate'],
};
