// Steps at the box office of a condition. Conditions follow Hoare's and Mesa's monitors. A notification moves the
// waiter to the lock's line instead of waking it ("wait morphing"), as in Linux's FUTEX_CMP_REQUEUE and in Birrell,
// Guttag, Horning and Levin, "Synchronization Primitives for a Multiprocessor" (1987). Our additions: the order of
// waiters, cancellation, recovery.
//
// OFFICE, its low half
//
//   n    n agents wait, and no notification is under way for them
//
//   n ▶ n + 1    [enqueueAtCondition]            by the lock's owner; then a ticket. The lock is unlocked afterwards
//   n ▶ n - 1    [notifyCondition, giveBack]     then one permit: the notification, for the longest waiter
//   n ▶ n - 1    [uncount]                       a waiter times out, is aborted or died
//
// At a mutex, a blocking wait and a notification are steps that contain these (sleep-at-condition.ts).
//
// A notification reaches a waiter in one of two ways.
//
//   woken   The waiter is awake or async, or its notifier died. The waiter gets a verdict at its gate, as at any
//           bouncer. It then locks the lock itself.
//   moved   The waiter sleeps. The notifier counts it at the lock's box office, draws a ticket of the lock's line for
//           it, and puts its element in that line [moveToMutex, moveToWriter]. From then on it is an ordinary
//           waiter of the lock. It wakes when it owns the lock.
//
// While the notifier moves a waiter, GATE of its element is PROMISED (move-to-mutex.ts).
//
// INVARIANTS
//
//   1. Lost wake-up: `enqueueAtCondition` counts the waiter and draws its ticket before the waiter unlocks the lock.
//      Pairs with `notifyCondition`: a notifier that changed the data under the lock runs after that unlock, and finds
//      the waiter counted. If the waiter unlocked first (the mutant "a waiter unlocks the lock before it is counted"),
//      a notifier could lock, change the data, find OFFICE 0 and notify no agent. The waiter would then be counted and
//      sleep.
//   2. OFFICE + permits under way = agents that were counted and have neither gone on nor cancelled. So while OFFICE is
//      0, a waiter knows that a notification is under way for it (core: kernel/bouncer.ts).
//   3. A notifier moves only the first element of its own detached chain, and only from PARKED. The element's owner
//      leaves PARKED before it looks at anything else (`cancelConditionWait`), and it reads the gate before LINE. So
//      the owner sees that its wait was moved, and ends it as a wait for the lock.
//   4. A notified waiter is counted at one of the two box offices. The lock's box office counts it only after the
//      condition has passed its permit.
//   5. ENTRY_HELD of an agent's ledger entry counts the agent's unfinished waits. A wait is unfinished until it is
//      cancelled or the agent has locked the lock again. If the agent dies, recovery first cancels its waits for the
//      condition. ENTRY_HELD is then the number of notifications that the agent received, including those of moved
//      waiters. `restoreNotifications` gives each to the next waiter.

import {
  BLOCK_TAG,
  CANCELLED,
  CLOSED,
  ENTRY_HELD,
  ENTRY_LINE,
  FREE,
  GATE,
  GRANT,
  GRANTED,
  LEAVING,
  OFFICE,
  PARKED,
  LINKED,
  PROMISED,
  QUEUED,
  RACED,
  LINE,
  SHUT,
  SUCCEEDS,
  TAKEN,
  WAITING,
  type Admission,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Uncount,
  type Wake,
} from '@sluice/core/format';
import {
  add32,
  add64,
  announce,
  cancelAt,
  cas32,
  draw,
  get32,
  get64,
  isFreed,
  isShut,
  load32,
  minus,
  plus,
  progress,
  put64,
  restoreAt,
  store32,
  wide,
  type BoxOffice,
  type RecordedOffice,
} from '@sluice/core/kernel';

/**
 * Counts the agent, which owns the lock, and draws a ticket. Returns the agent's spare element, QUEUED. Returns SHUT if
 * the condition was freed. The agent must have a spare element. It unlocks the lock after this step.
 *
 * @takes A place in line: waiters + 1 in `OFFICE`, then a ticket
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
 * Notifies the longest waiter. Returns IDLE if that waiter is awake and sees the notification, and NEEDS_WALK if the
 * caller must run the walk. Returns WAITING if no agent waits, and RACED if the caller must call again.
 *
 * @takes Passes a notification to the next in line: `OFFICE` - 1, `GRANT` + 1
 * @leaves As `release` of one permit
 * @death Walk: it wakes the waiter instead of moving it
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

/**
 * Returns whether the wait was moved: the element is then in the line of the lock. Call it after the load of the gate.
 */
export function isMoved(element: ElementAddress, entry: EntryAddress): boolean {
  return get32(element + LINE) !== get32(entry + ENTRY_LINE);
}

/**
 * Checks once whether the wait is over. Returns TAKEN if the waiter was notified. Then the element is free, or its LINE
 * is the lock's line, where the wait goes on. Returns SHUT if the condition was freed; the element is then free.
 * Returns WAITING otherwise.
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
  /** Does nothing: the waiter consumes the notification, and the entry already counts the wait. */
  admit(_condition: LineAddress, _id: i32, _entry: EntryAddress): void {
    return;
  }

  uncount(condition: LineAddress, _agent: AgentAddress): Uncount {
    const waiters = load32(condition + OFFICE);
    if (waiters === 0) return TAKEN;
    return cas32(condition + OFFICE, waiters, waiters - 1) === waiters ? CANCELLED : RACED;
  }

  noteUnseen(_condition: LineAddress, _agent: AgentAddress, _entry: EntryAddress, left: Admission): Cancel {
    return left;
  }

  /** Gives back one notification per call. */
  giveBack(condition: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32 {
    put64(entry + ENTRY_HELD, wide(held - 1));
    const notified = notifyNext(condition, agent);
    if (notified === RACED) put64(entry + ENTRY_HELD, wide(held));
    return notified === RACED || held > 1 ? RACED : held;
  }
}

const conditionOffice = /* @__PURE__ */ new ConditionOffice();

/**
 * Cancels a wait. `dead` is 1 for a dead agent.
 *
 * Returns TAKEN if a notification came first, as `pollCondition` does. That notification stays in the entry. Returns
 * RACED for a dead agent also if the element was moved. Other results are those of the core's `cancelAt`.
 *
 * @takes Gives up the place: `OFFICE` - 1. Or takes the notification that is under way
 * @leaves `ENTRY_HELD` - 1 first, `LEAVING` 1. If the notification came first, `ENTRY_HELD` is restored
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
  // Write ENTRY_HELD before the box office stops counting the wait. With `jsEngine` an agent may die between the two
  // writes; then a notification is lost. In the other order, recovery would pass on a notification that never existed.
  if (isCounted) put64(entry + ENTRY_HELD, minus(held, wide(1)));
  const left = cancelAt(conditionOffice, agent, element, entry, dead);
  if (isCounted && left !== WAITING) put64(entry + ENTRY_HELD, held);
  return left;
}

/** Changes the gate from PARKED to LINKED, if it is PARKED. Returns the gate. */
function ownGate(element: ElementAddress): i32 {
  cas32(element + GATE, PARKED, LINKED);
  return load32(element + GATE);
}

/**
 * Ends a wait in the agent's entry: the agent was notified and has locked the lock again, or it ends the wait for
 * another reason.
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
 * @takes Passes a notification of a dead agent to the next in line
 * @leaves `ENTRY_HELD` - 1 first, restored if the compare-and-swap failed. Then as `notifyCondition`
 * @death The next reclaimer calls it again
 */
export function restoreNotifications(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(conditionOffice, agent, entry);
}
