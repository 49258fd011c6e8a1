// The baton as a kind of the arena.

import { kindCode, type Kernel, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type BatonSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
export type BatonKernel = Kernel & BatonSteps;

export const BATON: Kind<BatonSteps> = {
  name: 'sluice.baton',
  code: /* @__PURE__ */ kindCode('baton'),
  kernel: { entry: '@sluice/baton', id: KERNEL_ID, text: KERNEL_TEXT, uncontended: ['enqueueAtBaton', 'passBaton'] },
  title: 'baton',
  steps: ({ pollBaton, park, cancelBatonWait, cancelDeadBatonWait, restoreBaton }) => ({
    poll: pollBaton,
    park,
    cancel: cancelBatonWait,
    cancelDead: cancelDeadBatonWait,
    notesGrants: true,
    restore: restoreBaton,
  }),
};
