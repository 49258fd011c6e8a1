// Steps of the waiters at a resizable semaphore: check, park and cancel. The protocol, with its invariants, is in
// resizable.ts.

import {
  ADMITTED_DETACHED,
  asGate,
  asLine,
  DRAWN,
  BLOCK_TAG,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  CLOSED,
  COUNT,
  FREE,
  GATE,
  GRANT,
  GRANTED,
  LEAVING,
  LINKED,
  PARKED,
  QUEUED,
  RACED,
  LINE,
  SHUT,
  SPENT,
  TAG,
  TAKEN,
  TICKET,
  WAITING,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type Park,
  type Poll,
} from '@sluice/core/format';
import {
  add64,
  announce,
  beginPost,
  cas32,
  cas64,
  credit,
  get32,
  get64,
  setHazard,
  high32,
  isFreed,
  isShut,
  load32,
  load64,
  low32,
  minus,
  plus,
  progress,
  put32,
  store32,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import { BALANCE, CANCELLED_AT, CANCELS_SEEN, ENTRY_BACK } from './layout.ts';
import { CANCELLED_HOLDING, LATE, LEFT_BEHIND_HOLDING } from './outcomes.ts';
import { officeOf } from './resizable.ts';

/** Whether the waiters were cancelled since the waiter was counted. */
function isCancelled(element: ElementAddress): boolean {
  return high32(load64(officeOf(asLine(get32(element + LINE))) + CANCELLED_AT)) !== get32(element + CANCELS_SEEN);
}

/** Whether the wait counts as cancelled (invariant 6): a cancel preceded its permits, or two cancels came. */
function hasLost(element: ElementAddress): boolean {
  const word = load64(officeOf(asLine(get32(element + LINE))) + CANCELLED_AT);
  const since = high32(word) - get32(element + CANCELS_SEEN);
  if (since === 0) return false;
  // CANCELLED_AT describes only the last cancel. So after two the first cannot be compared.
  if (since !== 1) return true;
  // Compares 32 bits of each number: the tickets of a wait and of a cancel during it are closer than 2^31.
  return low32(minus(plus(get64(element + DRAWN), wide(get32(element + COUNT))), word)) > 0;
}

function isDue(element: ElementAddress, gate: i32): boolean {
  return gate === GRANTED || (gate !== CLOSED && progress(element) >= wide(get32(element + COUNT)));
}

/**
 * Checks a wait once. Returns TAKEN if the permits are credited, and SHUT if the semaphore was closed. Then the element
 * is free. Returns LATE if the wait was cancelled: the waiter must leave the line. Otherwise returns WAITING.
 *
 * @step `pollSized`, `cancelSized`
 * @takes `pollSized`: permits, as `poll`. `cancelSized`: permits that came before the cancel. Otherwise the low half w
 *   of `BALANCE`: if w >= n, w - n by CAS, and `leaveLine`; if w < n, w becomes 0, `GRANT` + w, and the ticket with the
 *   permits that it got
 * @leaves `LEAVING` 1, before the CAS; `ENTRY_HELD` + the permits, `ENTRY_BACK`
 * @death The permits are given back; the wait is cancelled, and not removed from the count again
 */
export function pollSized(element: ElementAddress, entry: EntryAddress): Poll | typeof LATE {
  const gate = load32(element + GATE);
  const isOver = gate === GRANTED || (gate === QUEUED && isDue(element, gate));
  if (gate === CLOSED || (gate === QUEUED && isShut(element)) || (isOver && isFreed(element))) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  // Reads nothing of a freed line. A walker gives the verdict.
  if (isFreed(element)) return WAITING;
  if (!isOver) return isCancelled(element) ? LATE : WAITING;
  if (hasLost(element)) return LATE;
  // In this order, as in the core's bouncer.ts: until the gate is FREE, the element keeps the memory of the line.
  put32(element + GATE, SPENT);
  credit(entry, wide(get32(element + COUNT)));
  store32(element + GATE, FREE);
  return TAKEN;
}

/**
 * Parks a waiter: LINKED to PARKED. Returns LINKED if it is parked, RACED if it must check the wait again, and
 * otherwise the gate that it found.
 */
export function parkSized(element: ElementAddress, _agent: AgentAddress): Park {
  const gate = asGate(cas32(element + GATE, LINKED, PARKED));
  if (gate !== LINKED || isFreed(element) || !isCancelled(element)) return gate;
  // The cancel may have visited this element before it was PARKED.
  cas32(element + GATE, PARKED, LINKED);
  return RACED;
}

/** The results of `cancelSized`. */
type CancelHolding = Cancel | typeof CANCELLED_HOLDING | typeof LEFT_BEHIND_HOLDING;

/**
 * Cancels a wait: its agent gives up, or the wait was cancelled.
 *
 * - TAKEN, ADMITTED_DETACHED: the permits came first.
 * - WAITING: the waiter is no longer counted but still in line. Call `leaveLine`.
 * - CANCELLED, CANCELLED_LEFT_BEHIND, SHUT, RACED: as in the core's `leaveLine`.
 * - CANCELLED_HOLDING, LEFT_BEHIND_HOLDING: the agent has permits to release.
 *
 * Run the walk afterwards. `dead` is 1 for a dead agent. Permits that came first then stay in `entry`, to be restored
 * with its other permits: CANCELLED or CANCELLED_LEFT_BEHIND replace the *_HOLDING results.
 */
export function cancelSized(
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  dead: i32,
): CancelHolding {
  setHazard(agent, asLine(get32(element + LINE)));
  const left = leaveUnderHazard(agent, element, entry);
  clearHazard(agent);
  if (dead === 0) return left;
  if (left === CANCELLED_HOLDING) return CANCELLED;
  return left === LEFT_BEHIND_HOLDING ? CANCELLED_LEFT_BEHIND : left;
}

function leaveUnderHazard(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): CancelHolding {
  // From here on only a verdict can change a LINKED gate: the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  const gate = load32(element + GATE);
  const isGone = isFreed(element);
  if (gate === CLOSED || (isGone && gate !== LINKED)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  if (isGone) return WAITING;
  if (get32(element + LEAVING) !== 0) return gate === GRANTED ? passOn(agent, element) : WAITING;
  const late = hasLost(element);
  if (isDue(element, gate) && !late) return seize(element, entry, gate, wide(get32(element + COUNT)));
  return uncount(agent, element, entry, gate, late);
}

/**
 * Takes the waiter out of the line with its ticket, without waiting for the walker that brings its permits. Afterwards
 * the agent holds `count` permits.
 */
function seize(element: ElementAddress, entry: EntryAddress, gate: i32, count: i64): Cancel {
  if (gate === LINKED) {
    const found = cas32(element + GATE, LINKED, SPENT);
    if (found === LINKED) {
      // The element is not used any more: a walker may free it, and another agent may use it.
      credit(entry, count);
      return ADMITTED_DETACHED;
    }
    if (found !== GRANTED) return RACED;
  }
  // The element is in no chain, so no walker will look for it.
  put32(element + GATE, SPENT);
  credit(entry, count);
  store32(element + GATE, FREE);
  return TAKEN;
}

/** Removes the waiter from the count (invariant 4). */
function uncount(
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  gate: i32,
  late: boolean,
): CancelHolding {
  const home = asLine(get32(element + LINE));
  const office = officeOf(home);
  const count = get32(element + COUNT);
  const word = load64(office + BALANCE);
  const lacking = low32(word);
  // Before the count: with `jsEngine` an agent may die in between, and must not be removed from the count a second
  // time.
  put32(element + LEAVING, 1);
  const lacked = lacking < count ? lacking : count;
  if (cas64(office + BALANCE, word, minus(word, wide(lacked))) !== word) {
    put32(element + LEAVING, 0);
    return RACED;
  }
  if (lacked === count) return WAITING;
  if (lacked > 0) announce(home, agent, add64(home + GRANT, wide(lacked)), lacked);
  const back = count - lacked;
  const left = seize(element, entry, gate, wide(back));
  // The semaphore was closed first: the waiter needs no permits.
  if (left === RACED || (lacked === 0 && !late)) return left;
  put32(entry + ENTRY_BACK, back);
  return left === TAKEN ? CANCELLED_HOLDING : LEFT_BEHIND_HOLDING;
}

/** Passes on the permits of a waiter that is no longer counted: they belong to the waiters that are still counted. */
function passOn(agent: AgentAddress, element: ElementAddress): typeof SHUT | typeof CANCELLED {
  const home = asLine(get32(element + LINE));
  const count = get32(element + COUNT);
  store32(element + GATE, FREE);
  if (load32(home + BLOCK_TAG) !== get32(element + TAG)) return SHUT;
  const from = add64(home + GRANT, wide(count));
  if (count === 1) announce(home, agent, from, 1);
  else beginPost(agent, home, from, load64(home + TICKET), count);
  return CANCELLED;
}
