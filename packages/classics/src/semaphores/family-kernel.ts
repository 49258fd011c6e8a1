// The kernel of the papers' semaphores.

import type { AgentContext, Kernel } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';

export type MemberSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and those of the papers' semaphores. */
export type MemberKernel = Kernel & MemberSteps;

/** Returns the kernel of an agent that has loaded `SEMAPHORES`. */
export function kernelOf({ kernel: steps }: AgentContext): MemberKernel {
  return steps as MemberKernel;
}
