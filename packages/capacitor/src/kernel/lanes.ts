// Steps at a capacitor with lanes: several semaphores instead of one, and arrivals take them in turn. After Dice's
// "multilane" idiom, in the form that keeps the order: the n-th arrival goes to lane n mod lanes, and so does the n-th
// permit.
//
// TALLY counts for all lanes together, so a platoon is the same as without lanes. The waiters of a lane hang in the
// lane itself (core: kernel/chain.ts), and only agents that have loaded the kind walk them.
//
// INVARIANTS, in addition to those of capacitor.ts
//
//   1. Each arrival uses one permit of its lane, even if it cancels: its ticket is not rolled back, and the permit that
//      comes to its tombstone departs at once. Otherwise one lane would have a free permit while an agent waits in
//      another lane.
//   2. B is at least the number of lanes: a platoon cannot end before the agent that opened it has come to the last
//      lane.
//   3. An agent opens one capacitor at a time (AGENT_DUTY): it departs from one capacitor, and finishes the walk before
//      its next step. The walk meets only elements of that capacitor's lanes, and their tombstones depart from that
//      capacitor. The capacitor can open again only when its last lane has its permits, and by then AGENT_DUTY is free.

import {
  ABANDONED,
  AGAIN,
  AGENT_CHAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_IN_FLIGHT,
  asArea,
  asChain,
  asLine,
  BLOCK_TAG,
  GATE,
  GRANT,
  IDLE,
  KIND_AREA,
  LEAVING,
  LIMIT,
  OWN_CHAIN,
  RACED,
  LINE,
  SHUT,
  TAKEN,
  TICKET,
  WAITING,
  type AgentAddress,
  type AreaAddress,
  type Draw,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type CancelResult,
  type LineAddress,
  type Walk,
} from '@sluice/core/format';
import {
  acquire,
  add32,
  add64,
  cas32,
  detachOf,
  discard,
  get32,
  setHazard,
  isShut,
  cancelWaitUnderHazard,
  load32,
  load64,
  minus,
  progress,
  put32,
  putBack,
  store32,
  clearHazard,
  walkChains,
  wide,
  type ChainKind,
} from '@sluice/core/kernel';
import { departDead } from './capacitor.ts';
import { laneAt, lastLane } from './lane.ts';
import { ARRIVED, CREDITED, HOME, LANE_BITS, LANES_LEFT } from './layout.ts';

/**
 * Draws a ticket in the next lane. Returns the same as `acquire`.
 *
 * @step `arriveInLane`, `tryArriveInLane`
 * @takes The next lane: `ARRIVED` + 1, then as `acquire` in it
 * @leaves As `acquire`, with `LEAVING` 0
 * @death `departCapacitorForDead`; or `cancelLaneWait`
 */
export function arriveInLane(capacitor: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Draw {
  if (load32(capacitor + BLOCK_TAG) !== tag) return SHUT;
  return drawInLane(laneAt(capacitor, add32(capacitor + ARRIVED, 1)), tag, entry, agent);
}

/**
 * Draws a ticket as `arriveInLane` does, but only while the next lane has a free permit. Returns WAITING if it has
 * none. Returns an element if another agent took the permit on its way to the same lane: leave the line.
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
  // The element may have left another box office before. Clear LEAVING, so that its ticket stays in line here
  // (`keepsTicket`).
  if (drawn > 0) put32(drawn + LEAVING, 0);
  return drawn;
}

/**
 * The walk of this kind. Returns IDLE if nothing is left, AGAIN if the caller must call again, and otherwise an element
 * to notify.
 *
 * @takes The next lane of the capacitor in `AGENT_DUTY`: `GRANT` + its share of B. At a tombstone in a lane: departs
 *   with its permit if that has arrived, and otherwise puts the tombstone back. Its ticket is never rolled back
 *   (decision 022)
 * @leaves `LANES_LEFT` - 1. With the last lane, before its permits: `AGENT_DUTY` 0 and `CREDITED` + B. Then
 *   `AGENT_DUTY_KIND` 0. The lane's chain at `KIND_AREA`
 * @death Called again
 */
export function walkLanes(agent: AgentAddress): Walk {
  const area = asArea(agent + KIND_AREA);
  const next = walkChains(laneChain, agent, area);
  if (next === IDLE && get32(agent + AGENT_DUTY) !== 0) openNext(agent, asLine(get32(agent + AGENT_DUTY)));
  const left = get32(area + AGENT_IN_FLIGHT) | get32(area + AGENT_CHAIN) | get32(agent + AGENT_DUTY);
  // Clear this with the last part: an agent that dies afterwards leaves nothing to this kind.
  if (left === 0) put32(agent + AGENT_DUTY_KIND, 0);
  return next === IDLE && left !== 0 ? AGAIN : next;
}

function openNext(agent: AgentAddress, capacitor: LineAddress): void {
  // Guard the capacitor: the record no longer names it when the last lane gets its permits.
  setHazard(agent, capacitor);
  giveShare(agent, capacitor);
  clearHazard(agent);
}

function giveShare(agent: AgentAddress, capacitor: LineAddress): void {
  const left = get32(capacitor + LANES_LEFT) - 1;
  if (left < 0) {
    // With `jsEngine`, an agent may have died at this point.
    put32(agent + AGENT_DUTY, 0);
    return;
  }
  const platoon = get32(capacitor + LIMIT);
  const first = get32(capacitor + CREDITED);
  put32(capacitor + LANES_LEFT, left);
  // Write this before the last permits: once they are out, the platoon may end and another agent may open the next one.
  if (left === 0) {
    store32(agent + AGENT_DUTY, 0);
    put32(capacitor + CREDITED, first + platoon);
  }
  // The number of permits for this lane, of the `platoon` permits from `first` on.
  const lanes = get32(capacitor + LANE_BITS);
  const share = ((platoon - 1 - ((left - first) & lastLane(capacitor))) >> lanes) + 1;
  const lane = laneAt(capacitor, left);
  add64(lane + GRANT, wide(share));
  // Lost wake-up, release side: detach after the add. Pairs with `link` of the core: a waiter enters the chain and
  // loads GRANT afterwards. A detach before the add could find the chain empty, and the waiter could find GRANT as it
  // was.
  detachOf(agent, lane, asChain(lane + OWN_CHAIN));
}

/** Visits waiters that cancelled in a lane. */
class LaneChain implements ChainKind {
  visitTombstone(agent: AgentAddress, area: AreaAddress, element: ElementAddress): typeof AGAIN {
    if (progress(element) < wide(1)) {
      store32(element + GATE, ABANDONED);
      return putBack(laneChain, agent, area, element, 1);
    }
    const home = asLine(get32(get32(element + LINE) + HOME));
    put32(area + AGENT_IN_FLIGHT, 0);
    discard(element);
    departDead(home, agent);
    return AGAIN;
  }

  /** A tombstone is due when its permit has arrived, as a waiter is. `putBack` itself checks for that. */
  isDue(_element: ElementAddress, _reached: i64): boolean {
    return false;
  }
}

const laneChain = /* @__PURE__ */ new LaneChain();

/**
 * Cancels a wait in a lane. Returns the same as the core's `cancelWait`. `dead` is 1 for a dead agent. A grant that came
 * first then departs at once.
 */
export function cancelLaneWait(
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  dead: i32,
): CancelResult {
  const lane = asLine(get32(element + LINE));
  setHazard(agent, lane);
  const left = cancelWaitUnderHazard(agent, element, entry);
  // If the capacitor was closed or freed after the grant, no agent needs the permit.
  if (dead !== 0 && left === TAKEN && !isShut(element)) departDead(asLine(get32(lane + HOME)), agent);
  clearHazard(agent);
  return left;
}
