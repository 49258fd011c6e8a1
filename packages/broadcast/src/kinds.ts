// The broadcast as a kind of the arena: its kernel and its steps.

import { AGAIN } from '@sluice/core/format';
import { kindCode, type Kernel, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type BroadcastSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and a broadcast's. */
export type BroadcastKernel = Kernel & BroadcastSteps;

export const BROADCAST: Kind<BroadcastSteps> = {
  name: 'sluice.broadcast',
  code: /* @__PURE__ */ kindCode('broad'),
  kernel: {
    entry: '@sluice/broadcast',
    id: KERNEL_ID,
    text: KERNEL_TEXT,
    uncontended: [
      'publishBroadcast',
      'enqueueAtBroadcast',
      'seekBroadcastRoom',
      'publishHeldBroadcast',
      'passBroadcastMark',
    ],
  },
  title: 'broadcast',
  steps: ({ pollBroadcast, park, cancelBroadcastWait, restoreBroadcastSlot, freeDeadBroadcastMark }) => ({
    poll: pollBroadcast,
    park,
    cancel: cancelBroadcastWait,
    // A dead waiter that was admitted took nothing, so its recovery passes nothing on.
    notesGrants: true,
    restore: (record, entry) => {
      for (let n = 0; freeDeadBroadcastMark(record, entry, n) === AGAIN; n++);
      return restoreBroadcastSlot(record, entry);
    },
  }),
};
