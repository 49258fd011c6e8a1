// The manual-reset event as a kind of the arena: its kernel and its steps.

import { kindCode, type Kernel, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type ManualEventSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and a manual-reset event's. */
export type ManualEventKernel = Kernel & ManualEventSteps;

export const MANUAL_EVENT: Kind<ManualEventSteps> = {
  name: 'sluice.manual-reset-event',
  code: /* @__PURE__ */ kindCode('manua'),
  kernel: { entry: '@sluice/event', id: KERNEL_ID, text: KERNEL_TEXT, uncontended: ['setManualEvent', 'enqueueAtManualEvent'] },
  title: 'event',
  steps: ({ pollManualEvent, park, cancelManualWait }) => ({
    poll: pollManualEvent,
    park,
    cancel: cancelManualWait,
    cancelDead: cancelManualWait,
    // A dead waiter that was admitted took nothing, so nothing is passed on for it.
    notesGrants: true,
  }),
};
