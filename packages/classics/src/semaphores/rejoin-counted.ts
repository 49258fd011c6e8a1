// The place that an agent left in a lane of a multilane semaphore.

import { LEAVING, type ElementAddress, type LineAddress } from '@sluice/core/format';
import { endOfWait, leaveLine, rejoin, type AgentContext, type LineState } from '@sluice/core/internal';

/** Takes up a place that this agent left and that is still counted. Returns 0 if there is none. */
export function rejoinCounted(context: AgentContext, lineState: LineState, home: LineAddress): ElementAddress | 0 {
  for (let element = rejoin(context, home); element !== 0; element = rejoin(context, home)) {
    if (context.words.get32(element + LEAVING) === 0) return element;
    // Another agent took back the number of this place in the meantime.
    endOfWait(context, lineState, element, leaveLine(context, lineState, element));
  }
  return 0;
}
