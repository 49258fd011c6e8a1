// Steps at a capacitor with lanes: several semaphores instead of one, and arrivals take them in turn. After Dice's "multilane" idiom, in
// the form that keeps the order: the n-th arrival goes to lane n mod lanes, and so does the n-th permit.
//
// TALLY counts for all lanes together, so a platoon is the same as without lanes. INVARIANTS, in addition to those of capacitor.ts
//
//   1. Each arrival uses one permit of its lane, also one that cancels: its ticket is not rolled back, and the permit that comes to its
//      tombstone departs at once (walk.ts). Otherwise a permit would be free in one lane while an agent waits in another.
//   2. B is at least the number of lanes: a platoon cannot end before the agent that opened it has come to the last lane.

import { acquire, beginPost } from './admit.ts';
import { guard, unguard } from './guard.ts';
import {
  AGENT_OPEN,
  ARRIVED,
  BLOCK_LINE,
  BLOCK_TAG,
  CREDITED,
  FLAG_LANE,
  FLAGS,
  GRANT,
  LANE_BITS,
  LANES_LEFT,
  LIMIT,
  OPEN_NEXT,
  TICKET,
} from './layout.ts';
import { AGAIN, IDLE, RACED, SHUT, WAITING } from './states.ts';
import { add32, add64, cas32, get32, load32, load64, minus, put32, store32, wide } from './words.ts';

/** A lane has two lines, 128 bytes. */
const LANE_SHIFT: i32 = 7;

export function isLane(sem: i32): boolean {
  return (get32(sem + FLAGS) & FLAG_LANE) !== 0;
}

function laneAt(capacitor: i32, index: i32): i32 {
  return capacitor + BLOCK_LINE + ((index & lastLane(capacitor)) << LANE_SHIFT);
}

function lastLane(capacitor: i32): i32 {
  return (1 << get32(capacitor + LANE_BITS)) - 1;
}

/** Draws a ticket in the next lane. Results as of `acquire`. */
export function arriveInLane(capacitor: i32, tag: i32, entry: i32, agent: i32): i32 {
  if (load32(capacitor + BLOCK_TAG) !== tag) return SHUT;
  return acquire(laneAt(capacitor, add32(capacitor + ARRIVED, 1)), tag, entry, 1, agent);
}

/**
 * As `arriveInLane`, but only while the next lane has a free permit. WAITING: it has none. An element: another agent was on its way to the
 * same lane and took the permit; leave the line.
 */
export function tryArriveInLane(capacitor: i32, tag: i32, entry: i32, agent: i32): i32 {
  if (load32(capacitor + BLOCK_TAG) !== tag) return SHUT;
  const arrived = load32(capacitor + ARRIVED);
  const lane = laneAt(capacitor, arrived);
  if (minus(load64(lane + GRANT), load64(lane + TICKET)) <= wide(0)) return WAITING;
  if (cas32(capacitor + ARRIVED, arrived, arrived + 1) !== arrived) return RACED;
  return acquire(lane, tag, entry, 1, agent);
}

/** Records that the lanes are to be opened. The walk opens them one by one. */
export function openLanes(capacitor: i32, agent: i32): void {
  put32(capacitor + LANES_LEFT, lastLane(capacitor) + 1);
  // With `jsEngine` a departure may count twice, and end a platoon that is being opened.
  if (get32(agent + AGENT_OPEN) === capacitor) return;
  put32(capacitor + OPEN_NEXT, get32(agent + AGENT_OPEN));
  put32(agent + AGENT_OPEN, capacitor);
}

/** A part of the walk: opens the next lane. */
export function openLane(agent: i32): i32 {
  const capacitor = get32(agent + AGENT_OPEN);
  if (capacitor === 0) return IDLE;
  // The record no longer names the capacitor when the last lane gets its permits.
  guard(agent, capacitor);
  openNext(agent, capacitor);
  unguard(agent);
  return AGAIN;
}

function openNext(agent: i32, capacitor: i32): void {
  const left = get32(capacitor + LANES_LEFT) - 1;
  if (left < 0) {
    // With `jsEngine`, an agent died at this point.
    put32(agent + AGENT_OPEN, get32(capacitor + OPEN_NEXT));
    return;
  }
  const platoon = get32(capacitor + LIMIT);
  const first = get32(capacitor + CREDITED);
  put32(capacitor + LANES_LEFT, left);
  // Before the last permits: with them the platoon may end and another agent may open the next one.
  if (left === 0) {
    store32(agent + AGENT_OPEN, get32(capacitor + OPEN_NEXT));
    put32(capacitor + CREDITED, first + platoon);
  }
  // Of the `platoon` permits from `first` on, the number that belong to this lane.
  const lanes = get32(capacitor + LANE_BITS);
  const share = ((platoon - 1 - ((left - first) & lastLane(capacitor))) >> lanes) + 1;
  const lane = laneAt(capacitor, left);
  const from = add64(lane + GRANT, wide(share));
  beginPost(agent, lane, from, load64(lane + TICKET), share);
}
