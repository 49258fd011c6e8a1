// The steps of a mutex that the locks of a table call directly.

import type { AgentContext } from '@sluice/core/internal';
import type { MutexSteps } from '@sluice/mutex/internal';

/** Returns the steps, for an agent that has opened a mutex. */
export function stepsOf({ kernel }: AgentContext): MutexSteps {
  return kernel as unknown as MutexSteps;
}
