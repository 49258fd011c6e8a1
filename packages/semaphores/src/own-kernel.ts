// The kernel of this package's semaphores.

import type { AgentContext, Kernel } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';

export type OwnSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The core's steps and those of this package's semaphores. */
export type OwnKernel = Kernel & OwnSteps;

/** The kernel of an agent that has loaded a kind of this package. */
export function kernelOf({ kernel: steps }: AgentContext): OwnKernel {
  return steps as OwnKernel;
}
