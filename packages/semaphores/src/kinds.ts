// The priority semaphore as a kind of the arena: the kernel of this package and the kind's steps.

import { WAITING } from '@sluice/core/format';
import { kindCode, type Kind, type KernelSource, type KindSteps } from '@sluice/core/internal';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';
import type { OwnKernel, OwnSteps } from './own-kernel.ts';

const kernel: KernelSource<OwnSteps> = {
  entry: '@sluice/semaphores',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['boxTake', 'boxTakeAll', 'levelsRelease', 'takeSized', 'releaseSized'],
};

function stepsOf({ pollLevel, park, cancelLevelWait, leaveLine, restoreLevels, walkLevels }: OwnKernel): KindSteps {
  return {
    poll: pollLevel,
    park,
    cancel: (agent, element, entry, dead) => {
      const cancelled = cancelLevelWait(agent, element, entry, dead);
      return cancelled === WAITING ? leaveLine(agent, element) : cancelled;
    },
    notesGrants: true,
    restore: restoreLevels,
    walk: walkLevels,
  };
}

export const PRIORITY: Kind<OwnSteps> = {
  name: 'sluice.priority-semaphore',
  code: /* @__PURE__ */ kindCode('prio'),
  kernel,
  title: 'semaphore',
  steps: stepsOf,
};
