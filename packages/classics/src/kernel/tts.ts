// Steps at a test-and-test-and-set lock (Rudolph & Segall). An agent that finds it free takes it, even past waiting
// agents. Words, states and invariants: core's kernel/competing-lock.ts.

import {
  BLOCK_TAG,
  CONSISTENT,
  FOREIGN,
  HEALTH,
  IDLE,
  NOTICE,
  OFFICE,
  OWNER,
  RACED,
  SHUT,
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
  cas64,
  get32,
  hasNotice,
  isUnseen,
  load32,
  load64,
  orphan,
  ownerOf,
  parkCompeting,
  pollCompeting,
  takeOrEnqueue,
  takeWord,
  wakeOrFree,
  wide,
} from '@sluice/core/kernel';

/**
 * Takes the lock if it is free and has no notice. Otherwise, or if another agent was faster, returns WAITING.
 *
 * @step `lockTts`, `enqueueAtTts`
 * @takes A free test-and-test-and-set lock: `OFFICE` + id. Or a place: waiters + 1, then a ticket
 * @leaves `OFFICE`; the ticket as in `acquire`, `LEAVING` 0
 * @death `releaseTtsForDeadOwner`; or the wait is cancelled
 */
export function lockTts(lock: LineAddress, tag: i32, id: i32): Poll {
  return takeWord(lock, tag, id);
}

/**
 * Takes the lock as `lockTts` does, also with a notice. If the lock is owned, counts the agent and draws a ticket.
 * Returns the results of `takeOrEnqueue`.
 */
export function enqueueAtTts(lock: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  return takeOrEnqueue(lock, tag, agent, mayWait);
}

/**
 * Frees the lock and wakes one waiter, if none is awake. Returns RACED if the caller must call `passTts`, FOREIGN if
 * the caller is not the owner, and NEEDS_WALK if the caller must run the walk.
 *
 * @step `unlockTts`, `passTts`
 * @takes The lock is freed: `OFFICE` - id; if an agent sleeps and no waiter is awake: waiters - 1, WOKEN, `GRANT` + 1
 * @leaves As `release` of one permit
 * @death Walk
 */
export function unlockTts(lock: LineAddress, tag: i32, agent: AgentAddress, id: i32): HandOver | typeof SHUT {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = cas64(lock + OFFICE, wide(id), wide(0));
  if (office === wide(id)) return IDLE;
  if (ownerOf(office) !== id) return FOREIGN;
  return hasNotice(office) ? RACED : wakeOrFree(lock, agent, office, 0);
}

/**
 * Frees the lock as `unlockTts` does, for the owner `from`. If HEALTH has a message, it leaves a notice for the next
 * owner. Returns RACED if the caller must call again.
 */
export function passTts(lock: LineAddress, agent: AgentAddress, from: i32): HandOver {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== from) return FOREIGN;
  return wakeOrFree(lock, agent, office, load32(lock + HEALTH) === CONSISTENT ? 0 : NOTICE);
}

/**
 * Checks a wait once, as every competing waiter does.
 *
 * @step `pollTts`, `parkTts`, `cancelTtsWait`
 * @takes `pollTts`: the lock for the woken waiter: WOKEN off, the id. `parkTts`: the waiter sleeps again: WOKEN off,
 *   waiters + 1, a new ticket in the same element. `cancelTtsWait`: the lock if it is free; otherwise WOKEN off, or
 *   waiters - 1
 * @leaves `OFFICE`; `GATE` FREE or QUEUED. `LEAVING` 1: no longer counted, still in line
 * @death `releaseTtsForDeadOwner`; the wait is cancelled, and not removed from the count again
 */
export function pollTts(element: ElementAddress): Poll {
  return pollCompeting(element);
}

export function parkTts(element: ElementAddress): GateState {
  return parkCompeting(element);
}

export function cancelTtsWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  return cancelCompeting(agent, element, entry, dead);
}

/**
 * Frees the lock of a dead owner as `passTts` does, with a notice unless the agent never knew that it was the owner.
 */
export function releaseTtsForDeadOwner(agent: AgentAddress, lock: LineAddress): HandOver {
  const id = get32(agent + OWNER);
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== id) return FOREIGN;
  if (!isUnseen(office)) orphan(lock);
  return passTts(lock, agent, id);
}
