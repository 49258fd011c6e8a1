// The semaphores of this package as one kind of the arena: their kernel and their steps. FLAGS of a line tell which of them it belongs to.

import { kindCode, mayRetry, RACED, type AgentContext, type Kernel, type KernelSource, type Kind, type KindSteps, type ElementAddress, type EntryAddress, type Poll } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type MemberSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and those of this package's semaphores. */
export type MemberKernel = Kernel & MemberSteps;

/** The kernel of an agent that has loaded `SEMAPHORES`. */
export function kernelOf({ kernel: steps }: AgentContext): MemberKernel {
  return steps as MemberKernel;
}

const kernel: KernelSource<MemberSteps> = {
  entry: '@sluice/semaphores',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: [
    ...(['acquireTicket', 'releaseTickets', 'releaseBlindly', 'giveTokens', 'takeTokens'] as const),
    ...(['boxTake', 'boxRelease', 'enterLane', 'tryEnterLane', 'postToLanes'] as const),
  ],
};

function stepsOf({ pollMember, park, cancelMemberWait, cancelDeadMemberWait, restoreMember, walkMembers }: MemberKernel): KindSteps {
  // RACED comes from lines with tokens only, whose waits have a loop of their own (line.ts).
  function settled(element: ElementAddress, entry: EntryAddress): Poll {
    for (let tries = 1; ; tries++) {
      const seen = pollMember(element, entry);
      if (seen !== RACED) return seen;
      mayRetry(tries);
    }
  }

  return {
    poll: settled,
    park,
    cancel: cancelMemberWait,
    cancelDead: cancelDeadMemberWait,
    notesGrants: true,
    restore: restoreMember,
    walk: walkMembers,
  };
}

export const SEMAPHORES: Kind<MemberSteps> = {
  name: 'sluice.family-semaphore',
  code: /* @__PURE__ */ kindCode('sema'),
  kernel,
  title: 'semaphore',
  steps: stepsOf,
};
