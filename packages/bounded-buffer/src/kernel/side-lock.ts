// The lock of a side: an agent that finds it free takes it, even past waiting agents. Words, states and invariants:
// core's kernel/competing.ts.

import {
  cancelCompeting,
  FOREIGN,
  get32,
  load32,
  load64,
  NOTICE,
  OFFICE,
  OWNER,
  ownerOf,
  parkCompeting,
  pollCompeting,
  takeOrEnqueue,
  wakeOrFree,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type Enqueue,
  type Gate,
  type HandOver,
  type LineAddress,
  type Poll,
} from '@sluice/core/kernel';
import { TURN } from './layout.ts';

/**
 * Takes a side's lock, or waits for it. Results as of `takeOrEnqueue`.
 *
 * @step `enqueueAtSideLock`, `pollSideLock`, `parkSideLock`, `cancelSideLockWait`
 * @takes That lock, or a place there: as `enqueueAtTts`, `pollTts`, `parkTts`, `cancelTtsWait`
 * @leaves As there
 * @death `releaseSideForDeadOwner`; or `cancelDeadSideLockWait`
 */
export function enqueueAtSideLock(side: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  return takeOrEnqueue(side, tag, agent, mayWait);
}

/** Frees the lock if the agent owns it, with a notice while the turn is out. Results as of `freeWord`. */
export function freeSideLock(side: LineAddress, agent: AgentAddress): HandOver {
  const office = load64(side + OFFICE);
  if (ownerOf(office) !== get32(agent + OWNER)) return FOREIGN;
  return wakeOrFree(side, agent, office, load32(side + TURN) === 0 ? 0 : NOTICE);
}

export function pollSideLock(element: ElementAddress): Poll {
  return pollCompeting(element);
}

export function parkSideLock(element: ElementAddress): Gate {
  return parkCompeting(element);
}

export function cancelSideLockWait(
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  dead: i32,
): Cancel {
  return cancelCompeting(agent, element, entry, dead);
}
