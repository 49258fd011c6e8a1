// Steps at a capacitor with lanes: several semaphores instead of one, and arrivals take them in turn. After Dice's
// "multilane" idiom, in the form that keeps the order: the n-th arrival goes to lane n mod lanes, and so does the n-th
// permit.
//
// TALLY counts for all lanes together, so a platoon is the same as without lanes. The waiters of a lane hang in the
// lane itself (core: kernel/chain.ts), and only agents that have loaded the kind walk them.
//
// INVARIANTS, in addition to those of capacitor.ts
//
//   1. Each arrival uses one permit of its lane, also one that cancels: its ticket is not rolled back, and the permit
//      that comes to its tombstone departs at once. Otherwise a permit would be free in one lane while an agent waits
//      in another.
//   2. B is at least the number of lanes: a platoon cannot end before the agent that opened it has come to the last
//      lane.
//   3. An agent opens one capacitor at a time (AGENT_DUTY): it departs from one capacitor, and walks to the end before
//      its next step. The walk meets only elements of that capacitor's lanes, and their tombstones depart from that
//      capacitor. It can open again only when its last lane has its permits, and by then AGENT_DUTY is free.

import {
  ABANDONED,
  acquire,
  add32,
  add64,
  AGAIN,
  AGENT_CHAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_IN_FLIGHT,
  asArea,
  asChain,
  asLine,
  BLOCK_TAG,
  cas32,
  detachOf,
  discard,
  GATE,
  get32,
  GRANT,
  guard,
  IDLE,
  isShut,
  KIND_AREA,
  leaveGuarded,
  LEAVING,
  LIMIT,
  load32,
  load64,
  minus,
  OWN_CHAIN,
  progress,
  put32,
  putBack,
  RACED,
  SEM,
  SHUT,
  store32,
  TAKEN,
  TICKET,
  unguard,
  WAITING,
  walkChains,
  wide,
  type ChainKind,
  type AgentAddress,
  type AreaAddress,
  type Draw,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type Leave,
  type LineAddress,
  type Walk,
} from '@sluice/core/kernel';
import { departDead } from './capacitor.ts';
import { laneAt, lastLane } from './lane.ts';
import { ARRIVED, CREDITED, HOME, LANE_BITS, LANES_LEFT } from './layout.ts';

/**
 * Draws a ticket in the next lane. Results as of `acquire`.
 *
 * @step `arriveInLane`, `tryArriveInLane`
 * @takes The next lane: `ARRIVED` + 1, then as `acquire` in it
 * @leaves As there, `LEAVING` 0
 * @death `departForDead`; or `cancelDeadLaneWait`
 */
export function arriveInLane(capacitor: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Draw {
  if (load32(capacitor + BLOCK_TAG) !== tag) return SHUT;
  return drawInLane(laneAt(capacitor, add32(capacitor + ARRIVED, 1)), tag, entry, agent);
}

/**
 * As `arriveInLane`, but only while the next lane has a free permit. WAITING: it has none. An element: another agent
 * was on its way to the same lane and took the permit; leave the line.
 */
export function tryArriveInLane(capacitor: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Enqueue {
  if (load32(capacitor + BLOCK_TAG) !== tag) return SHUT;
  const arrived = load32(capacitor + ARRIVED);
  const lane = laneAt(capacitor, arrived);
  if (minus(load64(lane + GRANT), load64(lane + TICKET)) <= wide(0)) return WAITING;
  if (cas32(capacitor + ARRIVED, arrived, arrived + 1) !== arrived) return RACED;
  return drawInLane(lane, tag, entry, agent);
}

function drawInLane(lane: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Draw {
  const drawn = acquire(lane, tag, entry, 1, agent);
  // The element may have left another box office before: here its ticket stays in line (`keepsTicket`).
  if (drawn > 0) put32(drawn + LEAVING, 0);
  return drawn;
}

/**
 * The walk of this kind. IDLE: nothing is left. AGAIN: call again. Otherwise an element to notify.
 *
 * @takes The next lane of the capacitor in `AGENT_DUTY`: `GRANT` + its share of B. At a tombstone in a lane: if its
 *   permit is there, departs with it; else puts it back. Its ticket is never rolled back (decision 022)
 * @leaves `LANES_LEFT` - 1; with the last lane `AGENT_DUTY` 0 and `CREDITED` + B, before its permits; then
 *   `AGENT_DUTY_KIND` 0. The lane's chain at `KIND_AREA`
 * @death Called again
 */
export function walkLanes(agent: AgentAddress): Walk {
  const area = asArea(agent + KIND_AREA);
  const next = walkChains(laneChain, agent, area);
  if (next === IDLE && get32(agent + AGENT_DUTY) !== 0) openNext(agent, asLine(get32(agent + AGENT_DUTY)));
  const left = get32(area + AGENT_IN_FLIGHT) | get32(area + AGENT_CHAIN) | get32(agent + AGENT_DUTY);
  // With the last part: an agent that dies afterwards leaves nothing to this kind.
  if (left === 0) put32(agent + AGENT_DUTY_KIND, 0);
  return next === IDLE && left !== 0 ? AGAIN : next;
}

function openNext(agent: AgentAddress, capacitor: LineAddress): void {
  // The record no longer names the capacitor when the last lane gets its permits.
  guard(agent, capacitor);
  giveShare(agent, capacitor);
  unguard(agent);
}

function giveShare(agent: AgentAddress, capacitor: LineAddress): void {
  const left = get32(capacitor + LANES_LEFT) - 1;
  if (left < 0) {
    // With `jsEngine`, an agent died at this point.
    put32(agent + AGENT_DUTY, 0);
    return;
  }
  const platoon = get32(capacitor + LIMIT);
  const first = get32(capacitor + CREDITED);
  put32(capacitor + LANES_LEFT, left);
  // Before the last permits: with them the platoon may end and another agent may open the next one.
  if (left === 0) {
    store32(agent + AGENT_DUTY, 0);
    put32(capacitor + CREDITED, first + platoon);
  }
  // Of the `platoon` permits from `first` on, the number that belong to this lane.
  const lanes = get32(capacitor + LANE_BITS);
  const share = ((platoon - 1 - ((left - first) & lastLane(capacitor))) >> lanes) + 1;
  const lane = laneAt(capacitor, left);
  add64(lane + GRANT, wide(share));
  // Lost wake-up, releasing side: after the add. A waiter enters the chain and loads GRANT afterwards (core: `link`).
  detachOf(agent, lane, asChain(lane + OWN_CHAIN));
}

/** What a walk does with a waiter that cancelled in a lane. */
class LaneChain implements ChainKind {
  visitTombstone(agent: AgentAddress, area: AreaAddress, element: ElementAddress): typeof AGAIN {
    if (progress(element) < wide(1)) {
      store32(element + GATE, ABANDONED);
      return putBack(laneChain, agent, area, element, 1);
    }
    const home = asLine(get32(get32(element + SEM) + HOME));
    put32(area + AGENT_IN_FLIGHT, 0);
    discard(element);
    departDead(home, agent);
    return AGAIN;
  }

  /** A tombstone is due when its permit is there, as a waiter is, and `putBack` looks for that itself. */
  isDue(_element: ElementAddress, _reached: i64): boolean {
    return false;
  }
}

const laneChain = /* @__PURE__ */ new LaneChain();

/**
 * Cancels a wait in a lane. `dead` 1: for a dead agent. A grant that came first then departs at once. Results as of the
 * core's `leave`.
 */
export function cancelLaneWait(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Leave {
  const lane = asLine(get32(element + SEM));
  guard(agent, lane);
  const left = leaveGuarded(agent, element, entry);
  // Closed or freed under a grant: then no agent needs the permit.
  if (dead !== 0 && left === TAKEN && !isShut(element)) departDead(asLine(get32(lane + HOME)), agent);
  unguard(agent);
  return left;
}
