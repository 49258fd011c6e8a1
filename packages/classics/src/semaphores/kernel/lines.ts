// A wait at any line of the papers' semaphores: a single line, the line behind the box office of a lightweight
// semaphore (box-office.ts), or a lane (multilane.ts). Cancelling a wait at one of the lines behind a first line needs
// two agents that agree, as at a bouncer (core: bouncer.ts).

import {
  ADMITTED_DETACHED,
  asChain,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  CLOSED,
  COUNT,
  ENTRY_HELD,
  FLAGS,
  FREE,
  GATE,
  GRANT,
  GRANTED,
  LEAVING,
  LINKED,
  OWN_CHAIN,
  PARKED,
  QUEUED,
  RACED,
  RELEASED_FOR_OTHERS,
  LINE,
  SHUT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
} from '@sluice/core/format';
import {
  add64,
  cas32,
  clamp,
  detachOf,
  get32,
  get64,
  setHazard,
  isFreed,
  isShut,
  load32,
  load64,
  offset,
  progress,
  put32,
  put64,
  restoreAt,
  store32,
  clearHazard,
  wide,
  type RecordedOffice,
} from '@sluice/core/kernel';
import { FRONT, giveBackClosed, seize, settleBehind } from '@sluice/semaphores/kernel';
import { boxRestore, cancelAtBox } from './box-office.ts';
import { announceAt, hasTokens, isOfFamily, takenByClose, takeToken } from './posts.ts';
import { FLAG_BOX, FLAG_DEALER, FLAG_DEALT, FLAG_INNER } from './layout.ts';
import { cancelInLanes, postForDead } from './multilane.ts';

const MAX_I32: i32 = 0x7fffffff;

/** Whether it is a line behind a first line. Then the first line counts the waiters. */
function isBehind(line: LineAddress): boolean {
  return (get32(line + FLAGS) & (FLAG_INNER | FLAG_DEALT)) !== 0;
}

/**
 * Checks a wait once. Returns TAKEN if the permits are credited, and SHUT if the semaphore was closed. In both cases
 * the element is free. Returns WAITING otherwise. At a line with tokens it may also return RACED: call again.
 *
 * @step `pollMember`, `cancelMemberWait`
 * @takes `pollMember`: permits, as `poll`, or one token by CAS. `cancelMemberWait`: a grant that came before the
 *   cancel. Behind the first line of a lightweight semaphore: the count + 1, or the permit that was released for the
 *   waiter, with its ticket. In a lane of a multilane semaphore: its number, if it was the last; otherwise its ticket
 *   stays in its lane, as a stray. Then `leaveLine`
 * @leaves `ENTRY_HELD` + 1. `LEAVING` 1: no longer counted, still in line
 * @death The permits are given back; the wait is cancelled, and not removed from the count again
 */
export function pollMember(element: ElementAddress, entry: EntryAddress): Poll | typeof RACED {
  const gate = load32(element + GATE);
  if (gate === GRANTED) return settleBehind(element, entry);
  if (gate === CLOSED) return giveBackClosed(element);
  if (gate !== QUEUED) return WAITING;
  if (isShut(element)) return wasAdmitted(element) ? admit(element, entry) : giveBackClosed(element);
  return progress(element) >= wide(get32(element + COUNT)) ? admit(element, entry) : WAITING;
}

/** Whether the waiter of a closed line was admitted before the close. The line has no verdict for that. */
function wasAdmitted(element: ElementAddress): boolean {
  const line = asLine(get32(element + LINE));
  if (isFreed(element) || !isOfFamily(line)) return false;
  const needed = wide(get32(element + COUNT) - takenByClose(line));
  return progress(element) >= needed;
}

function admit(element: ElementAddress, entry: EntryAddress): typeof TAKEN | typeof SHUT | typeof RACED {
  const line = asLine(get32(element + LINE));
  if (!isFreed(element) && hasTokens(line) && !takeToken(line)) return RACED;
  return settleBehind(element, entry);
}

/**
 * Cancels a wait.
 *
 * - TAKEN: a grant came first. ADMITTED_DETACHED: a grant came first, and the element stays behind.
 * - CANCELLED: the wait has ended, and the element is the caller's.
 * - WAITING: the waiter is still in line. Call the core's `leaveLine`.
 * - SHUT: the semaphore was closed. RACED: call again.
 *
 * Run the walk afterwards. `dead` is 1 for a dead agent. A grant that came first is then in `entry`. Without an entry
 * it is passed on.
 */
export function cancelMemberWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  const line = asLine(get32(element + LINE));
  const count = wide(get32(element + COUNT));
  setHazard(agent, line);
  const behind = isBehind(line);
  const left = cancelUnderHazard(agent, element, entry);
  if (dead !== 0 && (left === TAKEN || left === ADMITTED_DETACHED)) {
    if (behind) giveToFront(line, agent, count);
    // If the semaphore was closed after the grant, no agent needs the permits.
    else if (entry === 0 && !isShut(element))
      announceAt(line, agent, add64(line + GRANT, count), clamp(count, MAX_I32));
  }
  clearHazard(agent);
  return left;
}

function cancelUnderHazard(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  // From here on only a verdict can change a LINKED gate: the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  // The block of a freed line may hold another primitive by now.
  return isFreed(element) || !isBehind(asLine(get32(element + LINE)))
    ? pollMember(element, entry)
    : cancelBehind(agent, element, entry);
}

function cancelBehind(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  const gate = load32(element + GATE);
  if (get32(element + LEAVING) !== 0 && gate !== CLOSED)
    return gate === GRANTED ? passOn(agent, element) : leaveUncounted(agent, element);
  const seen = pollMember(element, entry);
  if (seen !== WAITING) return seen;
  // Before the count: with `jsEngine` an agent may die in between, and must not be removed from the count a second
  // time.
  put32(element + LEAVING, 1);
  const counted = cancelAtFront(agent, element);
  if (counted === CANCELLED) return leaveUncounted(agent, element);
  put32(element + LEAVING, 0);
  if (counted === TAKEN) return seizeInner(element, entry, gate);
  return counted === CANCELLED_LEFT_BEHIND ? WAITING : RACED;
}

/**
 * Removes a waiter from the count. Returns TAKEN if a permit was released for it, and CANCELLED_LEFT_BEHIND if it stays
 * counted as a stray.
 */
function cancelAtFront(
  agent: AgentAddress,
  element: ElementAddress,
): typeof TAKEN | typeof CANCELLED | typeof CANCELLED_LEFT_BEHIND | typeof RACED {
  const line = asLine(get32(element + LINE));
  return (get32(line + FLAGS) & FLAG_INNER) !== 0
    ? cancelAtBox(asLine(get32(line + FRONT)))
    : cancelInLanes(agent, element);
}

/** Ends the wait of a waiter that is no longer counted. A waiter for a token has no ticket to take out of the line. */
function leaveUncounted(agent: AgentAddress, element: ElementAddress): typeof WAITING | typeof CANCELLED {
  const line = asLine(get32(element + LINE));
  if (!hasTokens(line)) return WAITING;
  store32(element + GATE, FREE);
  detachOf(agent, line, asChain(line + OWN_CHAIN));
  return CANCELLED;
}

/**
 * Takes the permit of a waiter as `seize` does. Tokens have no tickets: if the agent that releases the token has not
 * added it yet, its later addition replaces the token that is taken here.
 */
function seizeInner(element: ElementAddress, entry: EntryAddress, gate: i32): Cancel {
  const line = asLine(get32(element + LINE));
  if (hasTokens(line)) add64(line + GRANT, wide(-1));
  return seize(element, entry, gate);
}

/** Passes on the permit of a waiter that is no longer counted: it belongs to a waiter that is still counted. */
function passOn(agent: AgentAddress, element: ElementAddress): typeof SHUT | typeof CANCELLED {
  const line = asLine(get32(element + LINE));
  store32(element + GATE, FREE);
  if (isShut(element)) return SHUT;
  announceAt(line, agent, add64(line + GRANT, wide(1)), 1);
  return CANCELLED;
}

/** Releases permits of a dead agent at a semaphore with several lines. `line` is one of the lines behind the first. */
function giveToFront(line: LineAddress, agent: AgentAddress, count: i64): void {
  const front = asLine(get32(line + FRONT));
  if (load32(front + BLOCK_TAG) <= 0) return;
  if ((get32(line + FLAGS) & FLAG_INNER) !== 0) boxRestore(front, agent, count);
  else postForDead(front, agent, clamp(count, MAX_I32));
}

class HeldPermits implements RecordedOffice {
  /** Excludes permits that other agents released for the dead agent (RELEASED_FOR_OTHERS). */
  giveBack(line: LineAddress, agent: AgentAddress, entry: EntryAddress, permits: i32): i32 {
    const held = get64(entry + ENTRY_HELD);
    const debt = load64(line + RELEASED_FOR_OTHERS);
    if (debt > wide(0)) return offset(line, entry, held, debt);
    put64(entry + ENTRY_HELD, wide(0));
    if ((get32(line + FLAGS) & (FLAG_BOX | FLAG_DEALER)) !== 0) giveToFront(asLine(line + BLOCK_LINE), agent, held);
    else announceAt(line, agent, add64(line + GRANT, held), permits);
    return permits;
  }
}

const heldPermits = /* @__PURE__ */ new HeldPermits();

/**
 * Releases the permits that a dead agent's ledger entry records. Returns their number, or RACED if the caller must call
 * again. Run the walk afterwards.
 */
export function restoreMember(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(heldPermits, agent, entry);
}
