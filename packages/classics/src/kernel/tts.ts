// Steps at a test-and-test-and-set lock (Rudolph & Segall). An agent that finds it free takes it, even past waiting
// agents. Words, states and invariants: core's kernel/competing.ts.

import {
  BLOCK_TAG,
  cancelCompeting,
  cas64,
  FOREIGN,
  freeWord,
  get32,
  hasNotice,
  IDLE,
  isUnseen,
  load32,
  load64,
  OFFICE,
  orphan,
  OWNER,
  ownerOf,
  parkCompeting,
  pollCompeting,
  RACED,
  SHUT,
  takeOrEnqueue,
  takeWord,
  wakeOrFree,
  wide,
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

/**
 * Takes the lock if it is free and has no notice. WAITING: it is owned, has a notice, or another agent was faster.
 *
 * @step `lockTts`, `enqueueAtTts`
 * @takes A free test-and-test-and-set lock: `OFFICE` + id; or a place: waiters + 1, then a ticket
 * @leaves `OFFICE`; the ticket as in `acquire`, `LEAVING` 0
 * @death `releaseTtsForDeadOwner`; or cancelled
 */
export function lockTts(lock: LineAddress, tag: i32, id: i32): Poll {
  return takeWord(lock, tag, id);
}

/**
 * As `lockTts`, also with a notice. If the lock is owned, counts the agent and draws a ticket. Results as of
 * `takeOrEnqueue`.
 */
export function enqueueAtTts(lock: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  return takeOrEnqueue(lock, tag, agent, mayWait);
}

/**
 * Frees the lock and wakes one waiter, if none is awake. RACED: call `passTts`. FOREIGN: the caller is not the owner.
 * NEEDS_WALK: run the walk.
 *
 * @step `unlockTts`, `passTts`
 * @takes The lock is freed: `OFFICE` - id; if an agent sleeps and none is awake to compete: one waiter less, WOKEN,
 *   `GRANT` + 1
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
 * As `unlockTts` for the owner `from`, and passes a notice on to the next owner if HEALTH has a message. RACED: call
 * again.
 */
export function passTts(lock: LineAddress, agent: AgentAddress, from: i32): HandOver {
  return freeWord(lock, agent, from);
}

/**
 * Checks once, as every waiter that competes does.
 *
 * @step `pollTts`, `parkTts`, `cancelTtsWait`
 * @takes `pollTts`: the lock for the woken waiter: WOKEN off, the id. `parkTts`: back to sleep: WOKEN off, waiters + 1,
 *   a new ticket in the same element. `cancelTtsWait`: the lock if it is free; else WOKEN off, or one waiter less
 * @leaves `OFFICE`; `GATE` FREE or QUEUED. `LEAVING` 1: no longer counted, still in line
 * @death `releaseTtsForDeadOwner`; cancelled, and not taken off the count again
 */
export function pollTts(element: ElementAddress): Poll {
  return pollCompeting(element);
}

export function parkTts(element: ElementAddress): Gate {
  return parkCompeting(element);
}

export function cancelTtsWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  return cancelCompeting(agent, element, entry, dead);
}

/**
 * The contended release for a dead owner: as `passTts`, with a notice unless the agent never knew that it was the
 * owner.
 */
export function releaseTtsForDeadOwner(agent: AgentAddress, lock: LineAddress): HandOver {
  const id = get32(agent + OWNER);
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== id) return FOREIGN;
  if (!isUnseen(office)) orphan(lock);
  return freeWord(lock, agent, id);
}
