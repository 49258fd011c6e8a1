// The lock of a side: an agent that finds it free takes it, even past waiting agents. Words, states and invariants:
// core's kernel/competing-lock.ts.

import {
  FOREIGN,
  NOTICE,
  OFFICE,
  OWNER,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type Enqueue,
  type GateState,
  type HandOver,
  type LineAddress,
  type Poll,
} from '@sluice/core/format';
import {
  cancelCompeting,
  get32,
  load32,
  load64,
  ownerOf,
  parkCompeting,
  pollCompeting,
  takeOrEnqueue,
  wakeOrFree,
} from '@sluice/core/kernel';
import { HAS_HEAD } from './layout.ts';

/**
 * Takes a side's lock, or enters the line for it. Returns the results of `takeOrEnqueue`.
 *
 * @step `enqueueAtSideLock`, `pollSideLock`, `parkSideLock`, `cancelSideLockWait`
 * @takes A side's lock, or a place in its line: as `takeOrEnqueue`, `pollCompeting`, `parkCompeting`, `cancelCompeting`
 * @leaves `OFFICE`; the ticket as in `acquire`, `LEAVING` 0
 * @death `releaseSideForDeadOwner`; or `cancelSideLockWait`
 */
export function enqueueAtSideLock(side: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  return takeOrEnqueue(side, tag, agent, mayWait);
}

/**
 * Frees the lock if the agent owns it. While the line has a head, it also sets the notice. Returns FOREIGN if the agent
 * does not own it, otherwise the results of `wakeOrFree`.
 */
export function freeSideLock(side: LineAddress, agent: AgentAddress): HandOver {
  const office = load64(side + OFFICE);
  if (ownerOf(office) !== get32(agent + OWNER)) return FOREIGN;
  return wakeOrFree(side, agent, office, load32(side + HAS_HEAD) === 0 ? 0 : NOTICE);
}

export function pollSideLock(element: ElementAddress): Poll {
  return pollCompeting(element);
}

export function parkSideLock(element: ElementAddress): GateState {
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
