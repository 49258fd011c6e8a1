// Steps at the box office of an auto-reset event, after Preshing's AutoResetEvent.
//
// OFFICE, one 32-bit word
//
//   1    SIGNALLED: the next agent to arrive goes on at once
//   0    not signalled, no agent waits
//   -N   not signalled, N agents wait, and no permit is under way for them
//
//   1 ▶ 1          [signalEvent]                   signals collapse
//   0 ▶ 1          [signalEvent]                   no agent waits
//   -N ▶ -N + 1    [signalEvent]                   then one permit at the bouncer
//   1 ▶ 0          [consumeEvent, enqueueAtEvent]  the signal is consumed
//   -N ▶ -N - 1    [enqueueAtEvent]                also from 0; then a ticket at the bouncer
//   -N ▶ -N + 1    [uncount]                       a waiter cancels
//
// INVARIANT. N + permits under way = agents that were counted and have neither gone on since nor cancelled. So with N =
// 0 a waiter knows that a permit is under way for it.
//
// NO WAKE-UP IS LOST. `enqueueAtEvent` counts the waiter by an addition to OFFICE, then draws its ticket. `signalEvent`
// sets OFFICE to 1, or takes one waiter off the count and then adds to GRANT. If the waiter W drew its ticket first
// (the mutant "a wait draws its ticket before it is counted"), the signal of S could be lost for a later waiter V:
//
//   1. W draws ticket 0.
//   2. S signals. OFFICE is 0, so it becomes 1, and S releases no permit.
//   3. W adds -1 to OFFICE, finds that it was 1, and goes on with that signal. Ticket 0 has no waiter any more.
//   4. V is counted, draws ticket 1, and sleeps.
//   5. S signals. It takes V off the count and adds to GRANT: the permit is for ticket 0. V sleeps on, and OFFICE is 0.
//
// In the right order, W draws no ticket at step 3, and the permit of step 5 is for V.

import {
  BLOCK_TAG,
  CANCELLED,
  ENTRY_HELD,
  ENTRY_SINCE,
  ENTRY_TAG,
  GRANT,
  IDLE,
  NEVER_KNEW,
  OFFICE,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type Cancel,
  type Draw,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Try,
  type Uncount,
  type Wake,
  type Admission,
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
  load32,
  plus,
  pollAt,
  put64,
  restoreAt,
  wide,
  type BoxOffice,
  type RecordedOffice,
} from '@sluice/core/kernel';

/** The value of OFFICE of a signalled event. */
const SIGNALLED: i32 = 1;

function isSignalled(status: i32): boolean {
  return status === SIGNALLED;
}

/**
 * Signals: one waiter proceeds, or the next agent that arrives does. Returns RACED if it lost a race: call again.
 * Returns NEEDS_WALK if the caller must run the walk.
 *
 * @takes A signal: `OFFICE` to 1. If an agent waits, instead one waiter less in `OFFICE`, and `GRANT` + 1
 * @leaves As `release` of one permit
 * @death Walk, since the signal was given
 */
export function signalEvent(event: LineAddress, tag: i32, agent: AgentAddress): Wake | typeof SHUT | typeof RACED {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  const status = load32(event + OFFICE);
  // Write here; a load is not enough. If the step returned without a write, this signal would not order the writes
  // before it ahead of any wait. The agent that consumed the signal meanwhile may have checked too early, and this
  // signal would be lost.
  if (isSignalled(status)) return isSignalled(cas32(event + OFFICE, SIGNALLED, SIGNALLED)) ? IDLE : RACED;
  // Lost wake-up, signaller's side: the CAS takes a waiter off the count, then GRANT gets its permit. Pairs with
  // `enqueueAtEvent`, which counts a waiter before it draws the ticket for that permit.
  if (cas32(event + OFFICE, status, status + 1) !== status) return RACED;
  return status < 0 ? announce(event, agent, add64(event + GRANT, wide(1)), 1) : IDLE;
}

/**
 * Consumes the signal if there is one. Returns WAITING if there is none, and RACED if it lost a race: call again.
 *
 * @takes The signal: `OFFICE` from 1 to 0
 * @leaves Nothing: a consumed signal is not recorded
 * @death Nothing
 */
export function consumeEvent(event: LineAddress, tag: i32): Try {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  if (!isSignalled(load32(event + OFFICE))) return WAITING;
  return isSignalled(cas32(event + OFFICE, SIGNALLED, 0)) ? TAKEN : RACED;
}

/**
 * Consumes the signal, or counts the agent and draws a ticket. Returns TAKEN, SHUT, or the agent's spare element,
 * QUEUED. The agent must have a spare.
 *
 * @takes The signal, or a place: `OFFICE` - 1, then a ticket
 * @leaves The ticket as in `acquire`, `LEAVING` 0
 * @death Cancelled
 */
export function enqueueAtEvent(event: LineAddress, tag: i32, agent: AgentAddress): Draw {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  // Lost wake-up, waiter side: count the waiter, then draw its ticket. Pairs with `signalEvent`: a signal that finds
  // the waiter counted leaves it a permit, whenever it draws; an earlier signal is consumed here.
  return isSignalled(add32(event + OFFICE, -1)) ? TAKEN : draw(event, tag, agent);
}

class EventOffice implements BoxOffice, RecordedOffice {
  /** The permit is the signal, which the waiter consumes. There is nothing to record. */
  admit(_event: LineAddress, _id: i32, _entry: EntryAddress): void {
    return;
  }

  uncount(event: LineAddress, _agent: AgentAddress): Uncount {
    const status = load32(event + OFFICE);
    if (status >= 0) return TAKEN;
    return cas32(event + OFFICE, status, status + 1) === status ? CANCELLED : RACED;
  }

  /** Records the signal, so that `giveBack` signals again. A living agent records no signals. */
  noteUnseen(_event: LineAddress, _agent: AgentAddress, entry: EntryAddress, left: Admission): Cancel {
    if (entry === 0) return left;
    put64(entry + ENTRY_SINCE, wide(NEVER_KNEW));
    put64(entry + ENTRY_HELD, plus(get64(entry + ENTRY_HELD), wide(1)));
    return left;
  }

  /** Gives back one signal per call, if there were several. There are at most as many as the agent had waits. */
  giveBack(event: LineAddress, agent: AgentAddress, entry: EntryAddress, held: i32): i32 {
    put64(entry + ENTRY_HELD, wide(held - 1));
    const signalled = signalEvent(event, get32(entry + ENTRY_TAG), agent);
    if (signalled === RACED) put64(entry + ENTRY_HELD, wide(held));
    return signalled === RACED || held > 1 ? RACED : held;
  }
}

const eventOffice = /* @__PURE__ */ new EventOffice();

/**
 * Checks once. Returns TAKEN if the waiter was admitted, and SHUT if the event was freed. In both cases the element is
 * free. Returns WAITING otherwise.
 *
 * @takes The permit that was handed over: the signal, which the waiter consumes
 * @leaves `GATE` FREE. A consumed signal is not recorded
 * @death The element goes to the pool
 */
export function pollEvent(element: ElementAddress, entry: EntryAddress): Poll {
  return pollAt(eventOffice, element, entry);
}

/**
 * Cancels a wait. Returns the results of `cancelAt`. If the waiter was removed from the count, `leaveLine` takes it out
 * of the line.
 *
 * @takes One waiter less in `OFFICE`; or a signal that came first
 * @leaves `LEAVING` 1 first; it is no longer counted, but still in line. For a dead agent, a signal that came first:
 *   `ENTRY_HELD` + 1
 * @death Cancelled, without a second removal from the count; or `restoreSignals`
 */
export function cancelEventWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  return cancelAt(eventOffice, agent, element, entry, dead);
}

/**
 * Signals again for each signal that a dead agent was granted without knowing it.
 *
 * @takes The signals of a dead agent, one per call: as `signalEvent`
 * @leaves `ENTRY_HELD` - 1 first, or its old value if the CAS lost; the rest as `signalEvent`, in the **dead** agent's
 *   record
 * @death Called again; walk
 */
export function restoreSignals(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(eventOffice, agent, entry);
}
