// Steps at a ticket lock (Reed & Kanodia; Mellor-Crummey & Scott): the core's semaphore with one permit, which is the
// ownership. The owner is the agent whose ledger holds the permit. Waiters wait, and are recovered, as those of the
// semaphore.
//
//   GRANT - TICKET   1: free · 0: owned · -N: owned, and N agents wait
//
//   1 ▶ 0         [lockTicket, enqueueAtTicketLock]  the next agent owns it
//   -N ▶ -N - 1   [enqueueAtTicketLock]              then the agent waits for its ticket
//   -N ▶ -N + 1   [passTicket]                       the owner frees it, or passes it to the first ticket in line
//
// INVARIANT. At most one of these is true: GRANT - TICKET is 1; one agent's entry holds 1; the permit is on its way to
// the first ticket. HEALTH is written before the permit is released, so an agent that sees the lock free also sees the
// notice.

import {
  BLOCK_TAG,
  CONSISTENT,
  FOREIGN,
  GRANT,
  HEALTH,
  IDLE,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
  WAITING,
  type AgentAddress,
  type Enqueue,
  type EntryAddress,
  type HandOver,
  type LineAddress,
  type Try,
  type Wake,
} from '@sluice/core/format';
import {
  acquire,
  add64,
  announce,
  cas64,
  credit,
  get64,
  load32,
  load64,
  minus,
  plus,
  put64,
  tryAcquire,
  wide,
} from '@sluice/core/kernel';

/**
 * Takes the lock if it is free and has no notice. Otherwise returns WAITING, or RACED if another agent was faster.
 *
 * @step `lockTicket`, `enqueueAtTicketLock`, `unlockTicket`, `passTicket`
 * @takes As `tryAcquire`, `acquire`, `release` of one permit
 * @leaves As these
 * @death The lock is released, with a notice; walk
 */
export function lockTicket(lock: LineAddress, tag: i32, entry: EntryAddress): Try {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const ticket = load64(lock + TICKET);
  if (minus(load64(lock + GRANT), ticket) < wide(1)) return WAITING;
  // Read after the lock was seen free: an owner's death is recorded before the lock is passed on.
  if (load32(lock + HEALTH) !== CONSISTENT) return WAITING;
  if (cas64(lock + TICKET, ticket, plus(ticket, wide(1))) !== ticket) return RACED;
  credit(entry, wide(1));
  return TAKEN;
}

/**
 * Takes the lock or enters the line, on the contended path. Returns WAITING if the lock is not free and `mayWait` is 0.
 * The other results are those of `tryAcquire` and `acquire`.
 */
export function enqueueAtTicketLock(
  lock: LineAddress,
  tag: i32,
  entry: EntryAddress,
  agent: AgentAddress,
  mayWait: i32,
): Enqueue {
  return mayWait === 0 ? tryAcquire(lock, tag, entry, 1) : acquire(lock, tag, entry, 1, agent);
}

/**
 * Hands the lock to the next waiter in line. Returns FOREIGN if the caller does not own it, RACED if it has a notice,
 * and NEEDS_WALK if the caller must run the walk.
 */
export function unlockTicket(
  lock: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
): HandOver | typeof SHUT {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  return load32(lock + HEALTH) === CONSISTENT ? passTicket(lock, agent, entry) : RACED;
}

/** Hands the lock on as `unlockTicket` does, with or without a notice. */
export function passTicket(lock: LineAddress, agent: AgentAddress, entry: EntryAddress): Wake | typeof FOREIGN {
  if (get64(entry) === wide(0)) return FOREIGN;
  put64(entry, wide(0));
  // Lost wake-up, owner side: load TICKET after the add. Pairs with `acquire` and `link` of the waiter (core:
  // kernel/admit.ts has the losing order).
  const grant = add64(lock + GRANT, wide(1));
  return minus(load64(lock + TICKET), grant) <= wide(0) ? IDLE : announce(lock, agent, grant, 1);
}
