// Steps with which the owner of a side's lock leaves. Words and invariants: sides.ts.

import {
  FOREIGN,
  NEEDS_WALK,
  OFFICE,
  OWNER,
  RACED,
  type AgentAddress,
  type EntryAddress,
  type HandOver,
  type LineAddress,
} from '@sluice/core/format';
import {
  get32,
  get64,
  high32,
  load64,
  low32,
  minus,
  ownerOf,
  pair,
  put32,
  put64,
  store32,
  store64,
  wide,
} from '@sluice/core/kernel';
import { IN_PLACE, POSITION, HAS_HEAD } from './layout.ts';
import { beginServing, isDue } from './serve.ts';
import { shutBoth, shutWhenEmpty } from './shut-lines.ts';
import { freeSideLock } from './side-lock.ts';
import { isClosed, isProducers, otherOf } from './sides.ts';

/**
 * Ends a call of the lock's owner and frees the lock. The owner has used or given back `room` units of room, and has
 * written or read `values` values. If `isHead` is 1, the owner is the head of the line, which `entry` records, and is no
 * longer afterwards. Returns the results of `exitSide`.
 *
 * @takes Units: the write of `POSITION` puts the value in or takes it out. Of the head: the permit, which is given
 *   back. Then the lock, as `wakeOrFree`
 * @leaves Of the head: `HAS_HEAD` 0 and `ENTRY_HELD` - 1, then `POSITION`, then `OFFICE`; the words from
 *   `AGENT_DUTY_KIND` on, if an agent waits for units that are available, or if the lock was not freed
 * @death Walk
 */
export function commitSide(
  side: LineAddress,
  agent: AgentAddress,
  entry: EntryAddress,
  room: i32,
  values: i32,
  isHead: i32,
): HandOver {
  if (isHead !== 0) {
    // In this order: with `jsEngine` an agent may die in between. A second head only affects the order, but a line
    // without a head stops.
    store32(side + HAS_HEAD, 0);
    put64(entry, minus(get64(entry), wide(isHead)));
  }
  move(side, room, values);
  return exitSide(side, agent);
}

/** Writes the position of the lock's owner: its values are now in the buffer, or out of it. */
export function move(side: LineAddress, room: i32, values: i32): void {
  const at = load64(side + POSITION);
  store64(side + POSITION, pair((low32(at) + room) | 0, (high32(at) + values) | 0));
}

/**
 * Frees the lock of its owner. Returns IDLE if nothing is left to do. NEEDS_WALK: run the walk, which also frees the
 * lock if this agent still owns it.
 */
export function exitSide(side: LineAddress, agent: AgentAddress): HandOver {
  const freed = freeSideLock(side, agent);
  const hasEnded = !isProducers(side) && shutWhenEmpty(side, agent);
  // Lost wake-up, leaving side: `move` has written POSITION before this check for waiters. Pairs with `enqueueAtSide`,
  // which draws a ticket before it compares the positions, and with `Side.redeem`, which writes NEEDED before it does.
  if (freed !== RACED && !hasEnded && !isDue(otherOf(side)) && !isDue(side)) return freed;
  beginServing(agent, side);
  return NEEDS_WALK;
}

/**
 * Frees the lock of a dead owner. A value is either in the ring or not, so no change is half done. Returns FOREIGN if
 * the agent does not own the lock. With `jsEngine` the owner may have died while it closed the buffer. Then this step
 * completes the close. Run the walk afterwards.
 *
 * @takes The lock of a side that a dead agent owns, without a notice: as `commitSide` of no units. A partial close is
 *   completed; `IN_PLACE` 0
 * @leaves In the **dead** agent's record
 * @death The next reclaimer finds the lock owned by the dead agent, or freed
 */
export function releaseSideForDeadOwner(agent: AgentAddress, side: LineAddress): HandOver {
  if (ownerOf(load64(side + OFFICE)) !== get32(agent + OWNER)) return FOREIGN;
  if (isProducers(side) && isClosed(side)) shutBoth(side, agent);
  // Before the lock is freed here: if it is not, the walk frees it.
  put32(side + IN_PLACE, 0);
  return exitSide(side, agent);
}
