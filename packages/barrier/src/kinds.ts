// The primitives of this package as kinds of the arena: their kernel and their steps.

import { kindCode, type Kernel, type KernelSource, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

/** The steps of both kinds, which share one kernel. */
export type LatchSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
export type BarrierSteps = LatchSteps;
/** The core's steps and those of this package. */
export type LatchKernel = Kernel & LatchSteps;
export type BarrierKernel = LatchKernel;

const kernel: KernelSource<LatchSteps> = {
  entry: '@sluice/barrier',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: [
    'countDown',
    'addToLatch',
    'enqueueAtLatch',
    'arriveAtBarrier',
    'arriveAtBarrierToSleep',
    'wakeAtBarrier',
    'prepareSleepAtBarrier',
  ],
};

export const LATCH: Kind<LatchSteps> = {
  name: 'sluice.countdown-latch',
  code: /* @__PURE__ */ kindCode('latch'),
  kernel,
  title: 'latch',
  steps: ({ pollLatch, park, cancelLatchWait, restoreClaims }) => ({
    poll: pollLatch,
    park,
    cancel: cancelLatchWait,
    // A dead waiter that was admitted took nothing, so nothing is passed on for it.
    notesGrants: true,
    restore: restoreClaims,
  }),
};

export const BARRIER: Kind<BarrierSteps> = {
  name: 'sluice.barrier',
  // Must equal BARRIER_CODE of the kernel.
  code: /* @__PURE__ */ kindCode('barri'),
  kernel,
  title: 'barrier',
  steps: ({ pollBarrier, park, cancelBarrierWait, restoreParties, wakeBarrierSleepers }) => ({
    poll: pollBarrier,
    park,
    cancel: cancelBarrierWait,
    notesGrants: true,
    restore: restoreParties,
    walk: wakeBarrierSleepers,
  }),
};
