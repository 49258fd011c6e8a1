// Steps at the box office of a condition. After Hoare's and Mesa's monitors; that a notified waiter is moved to the
// lock's line instead of being woken ("wait morphing") is in Linux's FUTEX_CMP_REQUEUE and in Birrell, Guttag, Horning
// and Levin, "Synchronization Primitives for a Multiprocessor" (1987). Our additions: the order of waiters,
// cancellation, recovery.
//
// OFFICE, its low half
//
//   n    n agents wait, and no notification is under way for them
//
//   n ▶ n + 1    [enqueueAtCondition]            by the lock's owner; then a ticket. The lock is unlocked afterwards
//   n ▶ n - 1    [notifyCondition, giveBack]     then one permit: the notification, for the longest waiter
//   n ▶ n - 1    [cancel]                        a waiter times out, is aborted or died
//
// A notification reaches a waiter in one of two ways.
//
//   woken   The waiter is awake, async, or its notifier died: it gets a verdict at its gate, as at any bouncer. It then
//           locks the lock itself.
//   moved   The waiter sleeps [move.ts: moveToMutex, moveToWriter]: the notifier counts it at the lock's box office,
//           draws a ticket of the lock's line for it, and puts its element there. The lock's next owners hand over to
//           it as to any waiter. It wakes when the lock is its own.
//
// GATE of an element, beside the states of the core's admit.ts
//
//   PARKED ▶ PROMISED   [moveToLine]   the notifier has the element in flight and counts its waiter at the lock; back
//                                      if that lost a race
//   PROMISED ▶ PARKED   [moveToLine]   SEM, TAG and AT are those of the lock's line: from here on the element is the
//                                      lock's
//
// INVARIANTS
//
//   1. Lost wake-up: the waiter is counted and has its ticket before it unlocks the lock. A notifier that runs after
//      that unlock finds it.
//   2. OFFICE + permits under way = agents that were counted and have neither gone on nor cancelled. So with 0 a waiter
//      knows that a notification is under way for it (core: kernel/bouncer.ts).
//   3. An element is moved only from PARKED, by the agent that has it in flight. Its owner leaves PARKED before it
//      looks at anything else (`cancelConditionWait`), and reads SEM after its gate. So it sees a wait that was moved,
//      and ends it as a wait for the lock.
//   4. A notified waiter is counted at one of the two box offices: at the lock's only after its permit here was passed.
//   5. ENTRY_HELD of an agent's ledger entry is the number of its waits that have begun and were not cancelled, and
//      after which it has not locked the lock again. If the agent dies, recovery first cancels its waits here. What is
//      left in ENTRY_HELD is the number of its notifications, those of moved waiters included. `restoreNotifications`
//      gives each to the next waiter.

import {
  add32,
  add64,
  announce,
  BLOCK_TAG,
  cancelAt,
  CANCELLED,
  cas32,
  CLOSED,
  draw,
  ENTRY_HELD,
  ENTRY_SEM,
  FREE,
  GATE,
  get32,
  get64,
  GRANT,
  GRANTED,
  isFreed,
  isShut,
  LEAVING,
  load32,
  minus,
  OFFICE,
  PARKED,
  LINKED,
  plus,
  progress,
  PROMISED,
  put64,
  QUEUED,
  RACED,
  restoreAt,
  SEM,
  SHUT,
  store32,
  SUCCEEDS,
  TAKEN,
  WAITING,
  wide,
  type Admission,
  type AgentAddress,
  type BoxOffice,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type RecordedOffice,
  type Uncount,
  type Wake,
} from '@sluice/core/kernel';

/**
 * Counts the agent, which owns the lock, and draws a ticket. SHUT, or the agent's spare element, QUEUED. The agent must
 * have a spare. It unlocks the lock afterwards.
 *
 * @takes A place: waiters + 1 in `OFFICE`, then a ticket
 * @leaves The ticket as in `acquire`, `LEAVING` 0, `SUCCEEDS` 0; `ENTRY_HELD` + 1
 * @death Cancelled. If it was notified, the next waiter is notified
 */
export function enqueueAtCondition(
  condition: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
): ElementAddress | typeof SHUT {
  if (load32(condition + BLOCK_TAG) !== tag) return SHUT;
  add32(condition + OFFICE, 1);
  const element = draw(condition, tag, agent);
  put64(element + SUCCEEDS, wide(0));
  put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(1)));
  return element;
}

/**
 * Notifies the longest waiter. WAITING: no agent waits. IDLE: that waiter is awake and sees it. NEEDS_WALK: run the
 * walk. RACED: call again.
 *
 * @takes A notification, to the next in line: `OFFICE` - 1, `GRANT` + 1
 * @leaves As `release` of one permit
 * @death Walk: the waiter is woken instead of moved
 */
export function notifyCondition(
  condition: LineAddress,
  tag: i32,
  agent: AgentAddress,
): Wake | typeof WAITING | typeof RACED | typeof SHUT {
  if (load32(condition + BLOCK_TAG) !== tag) return SHUT;
  return notifyNext(condition, agent);
}

function notifyNext(condition: LineAddress, agent: AgentAddress): Wake | typeof WAITING | typeof RACED {
  const waiters = load32(condition + OFFICE);
  if (waiters === 0) return WAITING;
  if (cas32(condition + OFFICE, waiters, waiters - 1) !== waiters) return RACED;
  return announce(condition, agent, add64(condition + GRANT, wide(1)), 1);
}

/** The wait is no longer at the condition: the element is in the line of the lock. Read after the gate. */
function isMoved(element: ElementAddress, entry: EntryAddress): boolean {
  return get32(element + SEM) !== get32(entry + ENTRY_SEM);
}

/**
 * Checks once. TAKEN: notified; the element is free, or its SEM is the lock's line, where the wait goes on. SHUT:
 * freed, the element is free.
 * WAITING: neither.
 *
 * @takes A notification of a waiter that is woken
 * @leaves `GATE`
 * @death `restoreNotifications`
 */
export function pollCondition(element: ElementAddress, entry: EntryAddress): Poll {
  const gate = load32(element + GATE);
  if (isMoved(element, entry)) return TAKEN;
  const isOver = gate === GRANTED || (gate === QUEUED && progress(element) >= wide(1));
  const isGone = gate === CLOSED || (gate === QUEUED && isShut(element)) || (isOver && isFreed(element));
  if (!isOver && !isGone) return WAITING;
  store32(element + GATE, FREE);
  return isGone ? SHUT : TAKEN;
}

class ConditionOffice implements BoxOffice, RecordedOffice {
  /** The permit is the notification, which is consumed. The entry counts the wait already. */
  admit(_condition: LineAddress, _id: i32, _entry: EntryAddress): void {
    return;
  }

  cancel(condition: LineAddress, _agent: AgentAddress): Uncount {
    const waiters = load32(condition + OFFICE);
    if (waiters === 0) return TAKEN;
    return cas32(condition + OFFICE, waiters, waiters - 1) === waiters ? CANCELLED : RACED;
  }

  noteUnseen(_condition: LineAddress, _agent: AgentAddress, _entry: EntryAddress, left: Admission): Cancel {
    return left;
  }

  /** One notification per call. */
  giveBack(condition: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32 {
    put64(entry + ENTRY_HELD, wide(held - 1));
    const notified = notifyNext(condition, agent);
    if (notified === RACED) put64(entry + ENTRY_HELD, wide(held));
    return notified === RACED || held > 1 ? RACED : held;
  }
}

const conditionOffice = /* @__PURE__ */ new ConditionOffice();

/**
 * Cancels a wait. TAKEN: notified, as of `pollCondition`. Other results as of the core's `cancelAt`. `dead` 1: for a
 * dead agent. A notification that came first stays in the entry. RACED: then also if the element was moved.
 *
 * @takes The place: `OFFICE` - 1, or the notification that is promised
 * @leaves `ENTRY_HELD` - 1 first, `LEAVING` 1; as before when the notification came first
 * @death The rest of the cancellation
 */
export function cancelConditionWait(
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  dead: i32,
): Cancel {
  // From here on no notifier moves the element.
  const gate = ownGate(element);
  if (isMoved(element, entry)) return dead === 0 ? TAKEN : RACED;
  if (gate === PROMISED || gate === PARKED) return RACED;
  const held = get64(entry + ENTRY_HELD);
  const isCounted = get32(element + LEAVING) === 0;
  // Before the box office stops counting the wait: with `jsEngine` an agent may die in between, and a notification is
  // then lost. In the other order recovery would pass on one that was never given.
  if (isCounted) put64(entry + ENTRY_HELD, minus(held, wide(1)));
  const left = cancelAt(conditionOffice, agent, element, entry, dead);
  if (isCounted && left !== WAITING) put64(entry + ENTRY_HELD, held);
  return left;
}

/** Takes the gate out of PARKED, and returns it. */
function ownGate(element: ElementAddress): i32 {
  cas32(element + GATE, PARKED, LINKED);
  return load32(element + GATE);
}

/**
 * The agent was notified and has locked the lock again, or ends its wait otherwise.
 *
 * @takes Nothing: the agent owns the lock
 * @leaves `ENTRY_HELD` - 1
 * @death Nothing is passed on
 */
export function endConditionWait(entry: EntryAddress): void {
  put64(entry + ENTRY_HELD, minus(get64(entry + ENTRY_HELD), wide(1)));
}

/**
 * Notifies the next waiters in place of a dead agent that was notified and did not lock the lock again.
 *
 * @takes A notification of a dead agent, to the next in line
 * @leaves `ENTRY_HELD` - 1 first, as before when the CAS lost; as `notifyCondition`
 * @death Called again
 */
export function restoreNotifications(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(conditionOffice, agent, entry);
}
