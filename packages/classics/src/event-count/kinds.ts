// The event count and the sequencer as kinds of the arena: their kernel and their steps.

import { kindCode, type Kernel, type KernelSource, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

/** The steps of both kinds, which share one kernel. */
export type EventCountSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and those of both kinds. */
export type EventCountKernel = Kernel & EventCountSteps;

const kernel: KernelSource<EventCountSteps> = {
  entry: '@sluice/classics',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['advanceEventCount', 'enqueueAtEventCount', 'drawAtSequencer'],
};

export const EVENT_COUNT: Kind<EventCountSteps> = {
  name: 'sluice.event-count',
  code: /* @__PURE__ */ kindCode('evcnt'),
  kernel,
  title: 'event count',
  steps: ({ pollEventCount, park, cancelEventCountWait }) => ({
    poll: pollEventCount,
    park,
    cancel: cancelEventCountWait,
    // A dead waiter that was admitted took nothing, so nothing is passed on for it.
    notesGrants: true,
  }),
};

/** Agents draw tickets at a sequencer and wait elsewhere, so its line has no waiters. */
export const SEQUENCER: Kind<EventCountSteps> = {
  ...EVENT_COUNT,
  name: 'sluice.sequencer',
  code: /* @__PURE__ */ kindCode('seque'),
  title: 'sequencer',
};
