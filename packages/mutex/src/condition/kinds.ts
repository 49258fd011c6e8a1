// The arena's kind for the condition: its kernel and its steps.

import { kindCode, type Kernel, type Kind } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type ConditionSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The steps of the core and of the condition. */
export type ConditionKernel = Kernel & ConditionSteps;

export const CONDITION: Kind<ConditionSteps> = {
  name: 'sluice.condition',
  code: /* @__PURE__ */ kindCode('cond'),
  kernel: {
    entry: '@sluice/mutex',
    id: KERNEL_ID,
    text: KERNEL_TEXT,
    uncontended: [
      'notifyCondition',
      'enqueueAtCondition',
      'moveToMutex',
      'notifyAndMoveToMutex',
      'sleepAtCondition',
      'wakeAtCondition',
    ],
  },
  title: 'condition',
  steps: ({ pollCondition, park, cancelConditionWait, restoreNotifications }) => ({
    poll: pollCondition,
    park,
    cancel: cancelConditionWait,
    notesGrants: true,
    restore: restoreNotifications,
    restoresOneByOne: true,
  }),
};
