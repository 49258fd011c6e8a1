// The bell as a kind of the arena.

import { kindCode, type Kernel, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type BellSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
export type BellKernel = Kernel & BellSteps;

export const BELL: Kind<BellSteps> = {
  name: 'sluice.bell',
  code: /* @__PURE__ */ kindCode('bell'),
  kernel: { entry: '@sluice/bell', id: KERNEL_ID, text: KERNEL_TEXT, uncontended: ['enqueueAtBell', 'ringBell'] },
  title: 'bell',
  steps: ({ pollBell, park, cancelBellWait, cancelDeadBellWait }) => ({
    poll: pollBell,
    park,
    cancel: cancelBellWait,
    cancelDead: cancelDeadBellWait,
  }),
};
