// The primitives of this package as kinds of the arena: their kernel and their steps.

import { kindCode, type Kernel, type KernelSource, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

/** The steps of all kinds of the package, which share one kernel. */
export type ManualEventSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
export type OnceSteps = ManualEventSteps;
/** The core's steps and those of this package. */
export type ManualEventKernel = Kernel & ManualEventSteps;
export type OnceKernel = ManualEventKernel;

const kernel: KernelSource<ManualEventSteps> = {
  entry: '@sluice/event',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['setManualEvent', 'enqueueAtManualEvent', 'claimOnce', 'endOnce', 'enqueueAtOnce'],
};

export const MANUAL_EVENT: Kind<ManualEventSteps> = {
  name: 'sluice.manual-reset-event',
  code: /* @__PURE__ */ kindCode('manua'),
  kernel,
  title: 'event',
  steps: ({ pollManualEvent, park, cancelManualWait }) => ({
    poll: pollManualEvent,
    park,
    cancel: cancelManualWait,
    // A dead waiter that was admitted took nothing, so nothing is passed on for it.
    notesGrants: true,
  }),
};

const onceSteps: Kind<OnceSteps>['steps'] = ({ pollManualEvent, park, cancelManualWait, restoreOnce }) => ({
  poll: pollManualEvent,
  park,
  cancel: cancelManualWait,
  notesGrants: true,
  restore: restoreOnce,
});

export const ONCE: Kind<OnceSteps> = {
  name: 'sluice.once',
  code: /* @__PURE__ */ kindCode('once'),
  kernel,
  title: 'once',
  steps: onceSteps,
};

export const LAZY: Kind<OnceSteps> = {
  name: 'sluice.lazy',
  code: /* @__PURE__ */ kindCode('lazy'),
  kernel,
  title: 'lazy',
  steps: onceSteps,
};
