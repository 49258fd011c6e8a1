// The lock of a side: an agent that finds it free takes it, even past waiting agents. Words, states and invariants: core's
// kernel/competing.ts.

import { cancelCompeting, cancelDeadCompeting, parkCompeting, pollCompeting, takeOrEnqueue } from '@sluice/core/kernel';

/** Takes a side's lock, or waits for it. Results as of `takeOrEnqueue`. */
export function enqueueAtSideLock(side: i32, tag: i32, agent: i32, mayWait: i32): i32 {
  return takeOrEnqueue(side, tag, agent, mayWait);
}

export function pollSideLock(element: i32): i32 {
  return pollCompeting(element);
}

export function parkSideLock(element: i32): i32 {
  return parkCompeting(element);
}

export function cancelSideLockWait(agent: i32, element: i32): i32 {
  return cancelCompeting(agent, element);
}

export function cancelDeadSideLockWait(agent: i32, element: i32): i32 {
  return cancelDeadCompeting(agent, element);
}
