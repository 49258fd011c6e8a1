// Cancels a wait at a semaphore. At a box office, the kind first takes the waiter off its count (bouncer.ts). The steps
// here then take its ticket out of the line. The protocol, the table of gate states and the proof are in admit.ts.

import { announce, beginPost } from './admit.ts';
import { chainOf, detachOf, push } from './chain.ts';
import { clearHazard, setHazard } from './hazard.ts';
import { DRAWN, COUNT, GATE, GRANT, LINE, TAG } from './layout.ts';
import {
  bucketBefore,
  isAtEnd,
  isLast,
  keepsTicket,
  keysBefore,
  noteWidth,
  rollBack,
  ticketBehind,
} from './roll-back.ts';
import {
  ABANDONED,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  FREE,
  LINKED,
  PARKED,
  QUEUED,
  RACED,
  TAKEN,
  WAITING,
  type LeftLine,
  type CancelResult,
} from './states.ts';
import { bucketFor, headKey, isShut, isShutFor, lastKey, poll, waitsForHead } from './wait.ts';
import { add64, cas32, get32, get64, load32, load64, minus, put32, store32, wide } from './words.ts';
import type { AgentAddress, ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

/**
 * Cancels a wait.
 *
 * Returns TAKEN if a grant came first. Returns CANCELLED if the waiter left and the caller has the element, and
 * CANCELLED_LEFT_BEHIND if it left and the element stays behind. Returns SHUT if the line is closed, and RACED if it
 * lost a race: call again. Run the walk after CANCELLED, CANCELLED_LEFT_BEHIND and SHUT.
 *
 * `dead` is 1 for a dead agent; then run the walk after TAKEN, too. A grant that came first goes to `entry`, to be
 * restored with the agent's other permits. If the semaphore keeps no entry (0), the grant is passed on at once. The
 * grant of a lock is also passed on at once: the dead owner had not seen it, so it left nothing half changed.
 *
 * @takes Its place in line; for a dead agent also a grant that came first
 * @leaves If the verdict came first: as `poll`. If in no chain and last in line: `GATE` FREE, then `TICKET` back by
 *   CAS. Otherwise `GATE` ABANDONED; an element that was QUEUED is pushed. `AGENT_CHAIN`: the chains that it detached,
 *   of a tombstone that is due or last in line. The grant of a dead agent: in `ENTRY_HELD`, at a box office with the
 *   mark that its owner never saw it; without an entry it is passed on as by `release`
 * @death Walk. ABANDONED and SPENT elements stay where they are: the walker that meets one frees it
 */
export function cancelWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): CancelResult {
  const line = asLine(get32(element + LINE));
  setHazard(agent, line);
  const left = cancelWaitUnderHazard(agent, element, entry);
  // If the semaphore was closed or freed after the grant, no agent needs the permits.
  if (dead !== 0 && left === TAKEN && entry === 0 && !isShut(element)) passOn(line, agent, get32(element + COUNT));
  clearHazard(agent);
  return left;
}

function passOn(line: LineAddress, agent: AgentAddress, count: i32): void {
  announce(line, agent, add64(line + GRANT, wide(count)), count);
}

/** Cancels the wait as `cancelWait` does, for a caller that has set the hazard word. */
export function cancelWaitUnderHazard(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): CancelResult {
  // From here on only a verdict can change a LINKED gate, because the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  const seen = poll(element, entry);
  return seen !== WAITING ? seen : leaveLineUnderHazard(agent, element);
}

/**
 * Takes the ticket out of the line. Returns CANCELLED if the caller has the element, CANCELLED_LEFT_BEHIND if it stays
 * behind, and RACED if it lost a race: call again. Run the walk afterwards.
 *
 * @takes Its place in line. The box office no longer counts the waiter
 * @leaves As `cancelWait`
 * @death As `cancelWait`, without a second removal from the count (`LEAVING`)
 */
export function leaveLine(agent: AgentAddress, element: ElementAddress): LeftLine {
  setHazard(agent, asLine(get32(element + LINE)));
  const left = leaveLineUnderHazard(agent, element);
  clearHazard(agent);
  return left;
}

/** Takes the ticket out as `leaveLine` does, for a caller that has set the hazard word. */
export function leaveLineUnderHazard(agent: AgentAddress, element: ElementAddress): LeftLine {
  return load32(element + GATE) === QUEUED ? leaveQueued(agent, element) : leaveLinked(agent, element);
}

/**
 * Takes back a ticket that was never linked. Returns CANCELLED if it succeeded: then run the walk. Returns RACED if
 * other tickets stand behind it.
 *
 * @takes The place of a ticket that was in no chain: `TICKET` back by CAS
 * @leaves `GATE` FREE, or QUEUED again if the CAS lost. `AGENT_CHAIN`: the chain of the ticket before it. If weighted
 *   waiters were cancelled, instead the keys to look at, as in `release`
 * @death Walk
 */
export function withdraw(agent: AgentAddress, element: ElementAddress): typeof CANCELLED | typeof RACED {
  // Check without a write, because callers retry.
  if (!mayWithdraw(element)) return RACED;
  setHazard(agent, asLine(get32(element + LINE)));
  const left = withdrawUnderHazard(agent, element);
  clearHazard(agent);
  return left;
}

/** Whether no other ticket stands behind this one, and the kind lets tickets go back (`keepsTicket`). */
function mayWithdraw(element: ElementAddress): boolean {
  return !keepsTicket(element) && isLast(asLine(get32(element + LINE)), ticketBehind(element));
}

function withdrawUnderHazard(agent: AgentAddress, element: ElementAddress): typeof CANCELLED | typeof RACED {
  if (!mayWithdraw(element)) return RACED;
  store32(element + GATE, FREE);
  if (!rollBack(element)) {
    put32(element + GATE, QUEUED);
    return RACED;
  }
  detachBefore(agent, element);
  return CANCELLED;
}

/**
 * Detaches the chain that may hold the tombstone before a ticket that was rolled back. Call it only while no other post
 * is under way.
 */
function detachBefore(agent: AgentAddress, element: ElementAddress): void {
  const line = asLine(get32(element + LINE));
  const end = get64(element + DRAWN);
  const keys = keysBefore(line, end);
  if (keys === 1) detachOf(agent, line, bucketBefore(element));
  else beginPost(agent, line, minus(end, wide(keys)), end, keys);
}

function leaveQueued(agent: AgentAddress, element: ElementAddress): LeftLine {
  if (withdrawUnderHazard(agent, element) === CANCELLED) return CANCELLED;
  const line = asLine(get32(element + LINE));
  const head = waitsForHead(element);
  const bucket = bucketFor(element, head);
  const ticket = get64(element + DRAWN);
  const tag = get32(element + TAG);
  if (!noteWidth(element)) return RACED;
  store32(element + GATE, ABANDONED);
  if (!push(bucket, element)) {
    store32(element + GATE, QUEUED);
    return RACED;
  }
  // Check again, with values read before the push: another agent may use the tombstone by now. And an agent that
  // meanwhile rolled back the ticket behind this one did not find the tombstone.
  const due = minus(load64(line + GRANT), ticket) >= wide(0) || isAtEnd(element);
  if (due || isShutFor(line, tag)) detachOf(agent, line, bucket);
  return CANCELLED_LEFT_BEHIND;
}

function leaveLinked(agent: AgentAddress, element: ElementAddress): LeftLine {
  const line = asLine(get32(element + LINE));
  const ticket = get64(element + DRAWN);
  const before = chainOf(line, headKey(element));
  const last = chainOf(line, lastKey(element));
  // Another semaphore may use the counters by now. The sweep for the closed semaphore finds the tombstone.
  if (isShut(element)) return cas32(element + GATE, LINKED, ABANDONED) === LINKED ? CANCELLED_LEFT_BEHIND : RACED;
  if (!noteWidth(element)) return RACED;
  if (cas32(element + GATE, LINKED, ABANDONED) !== LINKED) return RACED;
  // From here on the element does not belong to the caller: a walker may have freed it, and another agent may use it.
  // So this step leaves its gate alone, and uses only values that it read before.
  //
  // Check again. A release may have made this waiter head of the line before the compare-and-swap. That release met a
  // waiter, not a tombstone. The same holds for an agent that rolled back the ticket behind this one. The agent that
  // walks the chain claims the tombstone. If a walker has the element in flight, its own second check (walk.ts,
  // putBack) sees the tombstone.
  if (minus(load64(line + GRANT), ticket) < wide(0) && !isAtEnd(element)) return CANCELLED_LEFT_BEHIND;
  detachOf(agent, line, last);
  detachOf(agent, line, before);
  return CANCELLED_LEFT_BEHIND;
}
