// The lock of a side: an agent that finds it free takes it, even past waiting agents. Words, states and invariants: core's
// kernel/competing.ts.

import { cancelCompeting, cancelDeadCompeting, parkCompeting, pollCompeting, takeOrEnqueue, type AgentAddress, type Cancel, type ElementAddress, type Enqueue, type Gate, type LineAddress, type Poll } from '@sluice/core/kernel';

/** Takes a side's lock, or waits for it. Results as of `takeOrEnqueue`. */
export function enqueueAtSideLock(side: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  return takeOrEnqueue(side, tag, agent, mayWait);
}

export function pollSideLock(element: ElementAddress): Poll {
  return pollCompeting(element);
}

export function parkSideLock(element: ElementAddress): Gate {
  return parkCompeting(element);
}

export function cancelSideLockWait(agent: AgentAddress, element: ElementAddress): Cancel {
  return cancelCompeting(agent, element);
}

export function cancelDeadSideLockWait(agent: AgentAddress, element: ElementAddress): Cancel {
  return cancelDeadCompeting(agent, element);
}
