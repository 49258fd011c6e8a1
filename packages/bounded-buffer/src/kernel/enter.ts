// How an agent enters a side of a buffer. Words and invariants: sides.ts.

import {
  acquire,
  BLOCK_TAG,
  cas64,
  clamp,
  get64,
  GRANT,
  load32,
  load64,
  low32,
  minus,
  plus,
  put32,
  put64,
  RACED,
  SHUT,
  store32,
  TAKEN,
  takeWord,
  TICKET,
  unsigned,
  WAITING,
  WANTS,
  wide,
  type AgentAddress,
  type Draw,
  type EntryAddress,
  type LineAddress,
} from '@sluice/core/kernel';
import { POSITION, SEEN, TURN } from './layout.ts';
import { beginServing } from './serve.ts';
import { inLine, isClosed, isProducers, otherOf, producersOf, semaphoreOf, unitsNow, unitsSeen } from './sides.ts';
import { BESIDE, SHORT, type ComeIn, type Look } from './states.ts';

/** The highest number of agents before a newcomer that `enterSide` counts. */
const MANY: i32 = 1000;

/** How many agents come before a newcomer: in line, or with the turn. */
function before(side: LineAddress): i64 {
  return plus(inLine(side), wide(load32(side + TURN)));
}

/**
 * For newcomers: whether no agent is in line and `count` units seem to be there. Reads the other side's line only when
 * it has to.
 */
function mayEnter(side: LineAddress, count: i32): boolean {
  if (inLine(side) > wide(0)) return false;
  return unitsSeen(side) >= count || unitsNow(side) >= count;
}

/** Whether there are enough units also for the agents before a newcomer, if each wants as many as the newcomer. */
function isPlenty(side: LineAddress, count: i32): boolean {
  const all = clamp(before(side), MANY) + 1;
  return all > 1 && all < MANY && unsigned(unitsNow(side)) >= unsigned(all) * unsigned(count);
}

/**
 * For the owner of the lock. TAKEN: `count` units are there for it. SHORT: they are not, or other agents come before
 * it. SHUT: they will never be, because a producer comes to a closed buffer, or a consumer to one that is closed and
 * empty. `turn` 1: the caller has the turn.
 *
 * @step `look`, `countUnits`
 * @takes For the owner of that lock: a turn that is free is taken back, `TICKET` to `GRANT` by CAS
 * @leaves `TURN` 0; `SEEN`
 * @death The same
 */
export function look(side: LineAddress, count: i32, turn: i32): Look {
  if (turn === 0 && load32(side + TURN) !== 0 && !isClosed(side) && !recall(side)) return SHORT;
  return lookInside(side, count, turn);
}

/** As `look`, while TURN is 0 or the turn is the agent's own. */
function lookInside(side: LineAddress, count: i32, turn: i32): Look {
  if (isProducers(side) && isClosed(side)) return SHUT;
  if (turn === 0 && inLine(side) > wide(0) && !isClosed(side)) return SHORT;
  if (unitsSeen(side) >= count) return TAKEN;
  // Read this before the position: no value comes once the producers' line is closed.
  const ended = isClosed(producersOf(side));
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  if (unitsSeen(side) >= count) return TAKEN;
  return ended ? SHUT : SHORT;
}

/** Takes back a turn that is free because no agent is in line for it. */
function recall(side: LineAddress): boolean {
  const sem = semaphoreOf(side);
  const ticket = minus(load64(sem + GRANT), wide(1));
  if (cas64(sem + TICKET, ticket, plus(ticket, wide(1))) !== ticket) return false;
  store32(side + TURN, 0);
  return true;
}

/**
 * For the owner of the lock, which came for `count` units: how many it may take. Only `count` while other agents wait
 * in line.
 */
export function countUnits(side: LineAddress, count: i32): i32 {
  put64(side + SEEN, load64(otherOf(side) + POSITION));
  return inLine(side) > wide(0) ? count : unitsSeen(side);
}

/**
 * A newcomer that wants `count` units. TAKEN: it owns the lock, and the units are there. SHORT, SHUT: it owns the lock,
 * and they are not (look). WAITING: they are not, or other agents come before it. BESIDE: other agents come before it,
 * and enough is there for all of them.
 * RACED: another agent owns the lock.
 */
export function comeIn(side: LineAddress, tag: i32, id: i32, count: i32): ComeIn {
  if (!isClosed(side) && !mayEnter(side, count)) return isPlenty(side, count) ? BESIDE : WAITING;
  // Fails while the turn is out.
  if (takeWord(side, tag, id) !== TAKEN) return isPlenty(side, count) ? BESIDE : RACED;
  return lookInside(side, count, 0);
}

/**
 * As `comeIn`. Instead of TAKEN it returns 0 or more, the low half of POSITION.
 *
 * @takes The lock of a buffer's side, as `lockTts`; then as `look`
 * @leaves `OFFICE`
 * @death `releaseSideForDeadOwner`: freed. Nothing was written or read
 */
export function enterSide(side: LineAddress, tag: i32, id: i32, count: i32): f64 {
  const seen = comeIn(side, tag, id, count);
  return seen === TAKEN ? unsigned(low32(get64(side + POSITION))) : seen;
}

/**
 * Enqueues with one ticket, for `wants` units. The caller then runs the walk: its turn may have come meanwhile. `tag`:
 * of the semaphore. Results as of `acquire`.
 *
 * @takes A place in a side's line: a ticket, as `acquire`
 * @leaves `AGENT_DUTY_TAG`, `AGENT_DUTY`, `AGENT_DUTY_KIND` before the ticket; then as `acquire`
 * @death Given back, or cancelled; walk
 */
export function enqueueAtSide(side: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress, wants: i32): Draw {
  const sem = semaphoreOf(side);
  if (load32(sem + BLOCK_TAG) !== tag) return SHUT;
  // Lost wake-up, waiter side: draw the ticket before checking the units (promise). Pairs with `exitSide`.
  beginServing(agent, side);
  const drawn = acquire(sem, tag, entry, 1, agent);
  if (drawn > 0) put32(drawn + WANTS, wants);
  return drawn;
}
