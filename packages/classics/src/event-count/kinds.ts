// The event count and the sequencer as kinds of the arena: their kernel and their steps.

import { kindCode, type Kernel, type KernelSource, type Kind } from '@sluice/core/internal';
import type * as kernelSteps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

/** The steps of both kinds, which share one kernel. */
export type EventCountSteps = { readonly [Step in keyof typeof kernelSteps]: (typeof kernelSteps)[Step] };
/** The core's steps and those of both kinds. */
export type EventCountKernel = Kernel & EventCountSteps;

const kernel: KernelSource<EventCountSteps> = {
  entry: '@sluice/classics',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['advanceEventCount', 'enqueueAtEventCount', 'drawAtSequencer'],
};

const steps: Kind<EventCountSteps>['steps'] = ({ pollEventCount, park, cancelEventCountWait }) => ({
  poll: pollEventCount,
  park,
  cancel: cancelEventCountWait,
  // A dead waiter that was admitted took nothing, so nothing is passed on for it.
  notesGrants: true,
});

export const EVENT_COUNT: Kind<EventCountSteps> = {
  name: 'sluice.event-count',
  code: /* @__PURE__ */ kindCode('evcnt'),
  kernel,
  title: 'event count',
  steps,
};

/** Agents draw tickets at a sequencer and wait elsewhere, so its line has no waiters. */
export const SEQUENCER: Kind<EventCountSteps> = {
  name: 'sluice.sequencer',
  code: /* @__PURE__ */ kindCode('seque'),
  kernel,
  title: 'sequencer',
  steps,
};
