// Steps with which an agent enters a side of a buffer. Words and invariants: sides.ts.

import {
  BLOCK_TAG,
  GRANT,
  OFFICE,
  OWNER,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
  WAITING,
  WANTS,
  type AgentAddress,
  type Draw,
  type EntryAddress,
  type LineAddress,
} from '@sluice/core/format';
import {
  acquire,
  cas64,
  clamp,
  get32,
  get64,
  load32,
  load64,
  low32,
  minus,
  ownerOf,
  plus,
  put32,
  put64,
  store32,
  takeOrEnqueue,
  takeWord,
  unsigned,
  wide,
} from '@sluice/core/kernel';
import { POSITION, SEEN, HAS_HEAD } from './layout.ts';
import { beginServing, endServing, mayAdmitHead } from './serve.ts';
import { inLine, isClosed, isProducers, otherOf, producersOf, semaphoreOf, unitsNow, unitsSeen } from './sides.ts';
import { BESIDE, SHORT, type EnterSide, type SideCheck } from './outcomes.ts';

/** `enterSide` counts at most this many agents before a newcomer. */
const MANY: i32 = 1000;

/** Returns the number of agents before a newcomer: agents in line, and the head of the line. */
function before(side: LineAddress): i64 {
  return plus(inLine(side), wide(load32(side + HAS_HEAD)));
}

/**
 * Whether a newcomer may enter: no agent is in line, and `count` units seem to be available. Reads the other side's
 * line only if necessary.
 */
function mayEnter(side: LineAddress, count: i32): boolean {
  if (inLine(side) > wide(0)) return false;
  return unitsSeen(side) >= count || unitsNow(side) >= count;
}

/** Whether there is also enough for the agents before a newcomer, if each wants as many units as the newcomer. */
function isPlenty(side: LineAddress, count: i32): boolean {
  const all = clamp(before(side), MANY) + 1;
  return all > 1 && all < MANY && unsigned(unitsNow(side)) >= unsigned(all) * unsigned(count);
}

/**
 * Takes a side's lock, unless the caller owns it, and checks what the caller may take. `isHead` is 1 for the head of
 * the line.
 *
 * - 0 or more: the caller owns the lock, `count` units are available for it, and this is the low half of POSITION.
 * - SHORT: it owns the lock, but too few units are available, or other agents come before it.
 * - SHUT: it owns the lock, and the units never will be available: the buffer is closed, and for consumers also empty.
 * - RACED: another agent owns the lock, or the buffer was freed.
 *
 * @takes The lock, as `enqueueAtSideLock` of an agent that does not wait. A free permit of the side's line, which the
 *   owner of the lock takes back: `TICKET` to `GRANT` by CAS
 * @leaves `OFFICE`; then `HAS_HEAD` 0; `SEEN`
 * @death `releaseSideForDeadOwner`: the lock is freed. If it was the head of the line, its permit is released
 */
export function lookAtSide(side: LineAddress, tag: i32, agent: AgentAddress, count: i32, isHead: i32): f64 {
  // The agent that frees a buffer keeps its locks.
  if (load32(side + BLOCK_TAG) !== tag) return RACED;
  if (ownerOf(load64(side + OFFICE)) !== get32(agent + OWNER) && takeOrEnqueue(side, tag, agent, 0) !== TAKEN)
    return RACED;
  if (isHead === 0 && load32(side + HAS_HEAD) !== 0 && !isClosed(side) && !takeBackHead(side)) return SHORT;
  return placeFor(side, lookInside(side, count, isHead));
}

/** Returns the low half of POSITION instead of TAKEN. */
function placeFor(side: LineAddress, seen: EnterSide): f64 {
  return seen === TAKEN ? unsigned(low32(get64(side + POSITION))) : seen;
}

/** Checks for the owner of the lock, while HAS_HEAD is 0 or the caller is the head of the line. */
function lookInside(side: LineAddress, count: i32, isHead: i32): SideCheck {
  if (isProducers(side) && isClosed(side)) return SHUT;
  if (isHead === 0 && inLine(side) > wide(0) && !isClosed(side)) return SHORT;
  if (unitsSeen(side) >= count) return TAKEN;
  // Read before the position: no value comes after the producers' line is closed.
  const ended = isClosed(producersOf(side));
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  if (unitsSeen(side) >= count) return TAKEN;
  return ended ? SHUT : SHORT;
}

/** Takes back the permit of a line that has no agent in it. Returns whether it did. */
function takeBackHead(side: LineAddress): boolean {
  const line = semaphoreOf(side);
  const ticket = minus(load64(line + GRANT), wide(1));
  if (cas64(line + TICKET, ticket, plus(ticket, wide(1))) !== ticket) return false;
  store32(side + HAS_HEAD, 0);
  return true;
}

/**
 * Returns the number of units that the owner of the lock may take. While other agents wait in line, this is `count`,
 * the number that the call asked for.
 *
 * @takes Nothing
 * @leaves `SEEN`
 * @death `releaseSideForDeadOwner`
 */
export function countSideUnits(side: LineAddress, count: i32): i32 {
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  return inLine(side) > wide(0) ? count : unitsSeen(side);
}

/**
 * Enters a side for a newcomer that wants `count` units.
 *
 * - TAKEN: the caller owns the lock, and the units are available.
 * - SHORT, SHUT: the caller owns the lock, but the units are not available (`lookAtSide`).
 * - WAITING: the units are not available, or other agents come before the caller.
 * - BESIDE: other agents come before the caller, and there is enough for all of them.
 * - RACED: another agent owns the lock.
 */
export function tryEnter(side: LineAddress, tag: i32, id: i32, count: i32): EnterSide {
  let seen: EnterSide = WAITING;
  if (isClosed(side) || mayEnter(side, count)) {
    // This fails while the line has a head.
    if (takeWord(side, tag, id) === TAKEN) return lookInside(side, count, 0);
    seen = RACED;
  }
  return isPlenty(side, count) ? BESIDE : seen;
}

/**
 * Enters as `tryEnter` does. Instead of TAKEN it returns 0 or more: the low half of POSITION.
 *
 * @takes The lock of a buffer's side, as `takeWord`; then as `lookAtSide`
 * @leaves `OFFICE`
 * @death `releaseSideForDeadOwner`: the lock is freed. Nothing was written or read
 */
export function enterSide(side: LineAddress, tag: i32, id: i32, count: i32): f64 {
  return placeFor(side, tryEnter(side, tag, id, count));
}

/**
 * Enqueues with one ticket, for `wants` units. If AGENT_DUTY_KIND is not 0 afterwards, run the walk: the
 * units of the first agent in line may already be there. `tag` is that of the semaphore. Returns the results of `acquire`.
 *
 * @takes A place in a side's line: a ticket, as `acquire`
 * @leaves `AGENT_DUTY_TAG`, `AGENT_DUTY`, `AGENT_DUTY_KIND` before the ticket; then as `acquire`; then, unless an
 *   agent is due, `AGENT_DUTY_KIND` 0
 * @death The permit is released, or the wait is cancelled; walk
 */
export function enqueueAtSide(side: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress, wants: i32): Draw {
  const line = semaphoreOf(side);
  if (load32(line + BLOCK_TAG) !== tag) return SHUT;
  // Lost wake-up, waiter side: draw the ticket before checking the units (`mayAdmitHead`). Pairs with `exitSide`, which
  // checks for waiters after `move` has written POSITION.
  beginServing(agent, side);
  const drawn = acquire(line, tag, entry, 1, agent);
  if (drawn > 0) put32(drawn + WANTS, wants);
  if (!mayAdmitHead(side)) endServing(agent);
  return drawn;
}
