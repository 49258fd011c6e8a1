// The steps of a mutex that the locks of a table call by themselves.

import type { AgentContext } from '@sluice/core/internal';
import type { MutexSteps } from '@sluice/mutex/internal';

/** For an agent that has opened a mutex. */
export function stepsOf({ kernel }: AgentContext): MutexSteps {
  return kernel as unknown as MutexSteps;
}
