// The countdown latch as a kind of the arena: its kernel and its steps.

import { kindCode, type Kernel, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type LatchSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and a latch's. */
export type LatchKernel = Kernel & LatchSteps;

export const LATCH: Kind<LatchSteps> = {
  name: 'sluice.countdown-latch',
  code: /* @__PURE__ */ kindCode('latch'),
  kernel: { entry: '@sluice/barrier', id: KERNEL_ID, text: KERNEL_TEXT, uncontended: ['countDown', 'addToLatch', 'enqueueAtLatch'] },
  title: 'latch',
  steps: ({ pollLatch, park, cancelLatchWait, restoreClaims }) => ({
    poll: pollLatch,
    park,
    cancel: cancelLatchWait,
    cancelDead: cancelLatchWait,
    // A dead waiter that was admitted took nothing, so nothing is passed on for it.
    notesGrants: true,
    restore: restoreClaims,
  }),
};
