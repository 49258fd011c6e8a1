// The shape of a condition's line: its kind, the words of its error messages, and the step with which an agent enters
// it.

import { WAITING } from '@sluice/core/format';
import type { LineShape } from '@sluice/core/internal';
import { CONDITION, type ConditionKernel, type ConditionSteps } from './kinds.ts';

export const SHAPE: LineShape<ConditionSteps> = {
  kind: CONDITION,
  className: 'Condition',
  what: 'The condition',
  late: 'was not notified',
  untouched: 'The lock is held.',
  blame: () => [],
  behaviour: { recorded: true },
  enterOrEnqueue: ({ context, address, tag }) => {
    const kernel = context.kernel as ConditionKernel;
    return (mayWait, entry) =>
      mayWait === 0 ? WAITING : kernel.enqueueAtCondition(address, tag, context.agent, entry);
  },
};
