// The place that an agent left in a lane of a multilane semaphore.

import {
  endOfWait,
  leaveLine,
  LEAVING,
  rejoin,
  type AgentContext,
  type ElementAddress,
  type LineAddress,
  type LocalState,
} from '@sluice/core/internal';

/** Takes up a place that this agent left and that is still counted. 0: there is none. */
export function rejoinCounted(context: AgentContext, localState: LocalState, home: LineAddress): ElementAddress | 0 {
  for (let element = rejoin(context, home); element !== 0; element = rejoin(context, home)) {
    if (context.words.get32(element + LEAVING) === 0) return element;
    // Meanwhile another agent took the number of this place back.
    endOfWait(context, localState, element, leaveLine(context, localState, element));
  }
  return 0;
}
