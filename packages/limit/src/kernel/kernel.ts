// The limit's kernel. A limit is not a block kind of its own: its slots are permits of a semaphore, which the core
// recovers.

import type { KernelSource } from '@sluice/core/internal';
import type * as steps from './steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './wasm.generated.ts';

export type LimitSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };

export const LIMIT_KERNEL: KernelSource<LimitSteps> = {
  entry: '@sluice/limit',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['reduceLimit'],
};
