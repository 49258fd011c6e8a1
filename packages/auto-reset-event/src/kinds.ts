// The auto-reset event as a kind of the arena: its kernel and its steps.

import { kindCode, type Kernel, type Kind, type KindSteps } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type EventSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and those of an event. */
export type EventKernel = Kernel & EventSteps;

function stepsOf({ pollEvent, park, cancelEventWait, restoreSignals }: EventKernel): KindSteps {
  return { poll: pollEvent, park, cancel: cancelEventWait, notesGrants: true, restore: restoreSignals };
}

export const EVENT: Kind<EventSteps> = {
  name: 'sluice.auto-reset-event',
  code: /* @__PURE__ */ kindCode('event'),
  kernel: {
    entry: '@sluice/auto-reset-event',
    id: KERNEL_ID,
    text: KERNEL_TEXT,
    uncontended: ['signalEvent', 'consumeEvent', 'enqueueAtEvent'],
  },
  title: 'event',
  steps: stepsOf,
};
