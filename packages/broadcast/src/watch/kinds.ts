// The watch cell as a kind of the arena: its kernel and its steps.

import { kindCode, type Kernel, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type WatchSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and a watch cell's. */
export type WatchKernel = Kernel & WatchSteps;

export const WATCH_CELL: Kind<WatchSteps> = {
  name: 'sluice.watch-cell',
  code: /* @__PURE__ */ kindCode('watch'),
  kernel: {
    entry: '@sluice/broadcast',
    id: KERNEL_ID,
    text: KERNEL_TEXT,
    uncontended: ['publishWatchSlot', 'enqueueAtWatch'],
  },
  title: 'watch cell',
  steps: ({ pollWatch, park, cancelWatchWait, restoreWatchSlot }) => ({
    poll: pollWatch,
    park,
    cancel: cancelWatchWait,
    // A dead waiter that was admitted took nothing, so nothing is passed on for it.
    notesGrants: true,
    restore: restoreWatchSlot,
  }),
};
