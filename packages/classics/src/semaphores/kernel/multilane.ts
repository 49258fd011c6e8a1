// Steps at a multilane semaphore: several semaphores, its lanes, side by side. After Dice's "multilane" idiom. Arrivals
// are numbered and so are posts, and the k-th post goes to the lane of the k-th arrival.
//
// The first line is the home. The lines behind it are the lanes. Each has its own TICKET and GRANT, the FLAG_* of its
// scheme, and FLAG_DEALT.
//
//   word         value                           written by
//   TICKET       arrivals                        enterLane +1 · tryEnterLane, endDrain: CAS · cancelInLanes: CAS back
//   GRANT        posts                           postToLanes +n · recovery · walk: +1 for a stray
//   DEALT_BITS   log2 of the number of lanes     create
//
// RELEASED_FOR_OTHERS, CAPACITY and LIMIT of the home are those of any semaphore.
//
//   lane of k: without FLAG_SHUFFLED: k mod lanes. With it: a round is as many numbers as there are lanes. In each
//   round every lane comes once, and the order changes from round to round.
//
// INVARIANTS
//
//   1. Tickets drawn in a lane = arrivals numbered for it, and permits released there = posts numbered for it. There
//      are two exceptions: during a step, and for cancelled waiters that are no longer counted, whose tickets are
//      skipped within the lane. So no permit is free in one lane while an agent waits in another.
//   2. One step numbers an arrival and draws its ticket. One step numbers a post and releases it to its lane, or
//      records in the agent record which lanes still lack their share (AGENT_DUTY). So no death leaves a gap in the
//      numbers. A drain first takes the tickets of many numbers and then the numbers, under the same record
//      (drain-lanes.ts).
//   3. If a waiter that cancels was the last to arrive, it takes its number back (LEAVING), and leaves its lane as it
//      would leave any semaphore. Otherwise it becomes a stray: its number stays, and its ticket is neither rolled back
//      nor skipped. A permit that comes to a stray is posted again with a new number (walk.ts). A stray can take its
//      number back when all later arrivals have taken theirs back. In a lane of the core's kind, it also stops being a
//      stray if its agent waits again, with the same number (core: agent/left-places.ts).
//   4. A permit that a dead agent held is posted like any other permit.
//   5. Two agents that arrive at once may draw their tickets in a lane in another order than their numbers. So agents
//      that arrive between an agent's two draws may overtake it.

import {
  AGAIN,
  AGENT_DUTY,
  AGENT_DUTY_COUNT,
  AGENT_DUTY_FROM,
  AGENT_DUTY_KIND,
  AGENT_DUTY_LEFT,
  AGENT_DUTY_TAG,
  AGENT_IN_FLIGHT,
  AGENT_POSTS,
  AGENT_SWEEP,
  asChain,
  asLine,
  DRAWN,
  BLOCK_LINE,
  BLOCK_TAG,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  FLAGS,
  GRANT,
  HEADER_BUCKET_MASK,
  IDLE,
  LEAVING,
  NEEDS_WALK,
  NEXT,
  OWN_CHAIN,
  RACED,
  LINE,
  SHUT,
  TAKEN,
  TICKET,
  POST_END,
  WAITING,
  type AgentAddress,
  type AreaAddress,
  type TakeOutcome,
  type Draw,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type LineAddress,
  type NotifyAddress,
} from '@sluice/core/format';
import {
  add64,
  cas32,
  cas64,
  credit,
  detachOf,
  get32,
  get64,
  setHazard,
  load32,
  load64,
  low32,
  minus,
  plus,
  put32,
  put64,
  queue,
  store32,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import { FRONT, releaseBy, type Post, type ReleaseOrTell, type Tell } from '@sluice/semaphores/kernel';
import { announceAt, closeLine, hasTokens, isOnDuty, takeToken, tellOfTokens } from './posts.ts';
import { turnOf, visits } from './lane-order.ts';
import { DEALT_BITS, FLAG_DEALT, FLAG_SHUFFLED, KIND_SEMA, NUMBER } from './layout.ts';

/** A lane has two lines, 128 bytes. */
const LANE_SHIFT: i32 = 7;

function isShuffled(home: LineAddress): i32 {
  return get32(home + FLAGS) & FLAG_SHUFFLED;
}

export function laneAt(home: LineAddress, index: i32): LineAddress {
  return asLine(home + BLOCK_LINE + (index << LANE_SHIFT));
}

function laneOf(home: LineAddress, number: i64): LineAddress {
  const bits = get32(home + DEALT_BITS);
  const low = low32(number);
  return laneAt(home, (low ^ turnOf(low >>> bits, isShuffled(home))) & ((1 << bits) - 1));
}

/**
 * Draws a number, and a ticket in its lane. Returns TAKEN, SHUT, or the agent's spare element, which is then QUEUED.
 * The agent must have a spare.
 *
 * @step `enterLane`, `tryEnterLane`
 * @takes A number at a multilane semaphore: `TICKET` + 1 (`tryEnterLane`: by CAS). Then as `acquire` in its lane, or
 *   one token by CAS
 * @leaves `ENTRY_HELD` + 1; or the ticket as in `acquire`, `NUMBER` its number, `LEAVING` 0
 * @death The permit is given back, or the wait is cancelled
 */
export function enterLane(home: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Draw {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  return draw(home, tag, entry, agent, add64(home + TICKET, wide(1)));
}

/**
 * Enters as `enterLane` does, but only if the next lane has a free permit. Otherwise returns WAITING. If it returns an
 * element, another agent on its way to the same lane took the permit: leave the line.
 */
export function tryEnterLane(home: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress): Enqueue {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const number = load64(home + TICKET);
  const lane = laneOf(home, number);
  if (minus(load64(lane + GRANT), load64(lane + TICKET)) <= wide(0)) return WAITING;
  if (cas64(home + TICKET, number, plus(number, wide(1))) !== number) return RACED;
  return draw(home, tag, entry, agent, number);
}

function draw(home: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress, number: i64): Draw {
  const lane = laneOf(home, number);
  if (!hasTokens(lane)) return drawTicket(lane, tag, entry, agent, number);
  if (!takeToken(lane)) return waitIn(lane, tag, agent, wide(0), number);
  credit(entry, wide(1));
  return TAKEN;
}

function drawTicket(lane: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress, number: i64): Draw {
  const ticket = add64(lane + TICKET, wide(1));
  if (minus(load64(lane + GRANT), ticket) < wide(1)) return waitIn(lane, tag, agent, ticket, number);
  credit(entry, wide(1));
  return TAKEN;
}

function waitIn(lane: LineAddress, tag: i32, agent: AgentAddress, ticket: i64, number: i64): ElementAddress {
  const element = queue(agent, lane, tag, 1, ticket);
  put64(element + NUMBER, number);
  put32(element + LEAVING, 0);
  return element;
}

class LanePost implements Post {
  tell(home: LineAddress, tag: i32, agent: AgentAddress, from: i64, count: i32): Tell {
    if (count === 1) return give(laneOf(home, from), agent);
    noteDeal(agent, home, tag, from, count, 1 << get32(home + DEALT_BITS));
    return NEEDS_WALK;
  }
}

const lanePost = /* @__PURE__ */ new LanePost();

/**
 * Releases permits. Returns the results of `releaseBy`.
 *
 * @takes n numbers for permits: `GRANT` + n. If n is 1: then as `releaseTickets` in its lane. If n is more: the shares
 *   of the lanes
 * @leaves `ENTRY_HELD` first, as `release`; the range as in `releaseTickets`, or `AGENT_DUTY_KIND`, `AGENT_DUTY_FROM`,
 *   `_COUNT`, `_LEFT`, `_TAG`, then `AGENT_DUTY`
 * @death Walk
 */
export function postToLanes(
  home: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseOrTell {
  return releaseBy(lanePost, home, tag, agent, entry, count);
}

/** Posts permits that a dead agent held, or that were granted to it without its knowledge. Run the walk. */
export function postForDead(home: LineAddress, agent: AgentAddress, count: i32): void {
  noteDeal(
    agent,
    home,
    load32(home + BLOCK_TAG),
    add64(home + GRANT, wide(count)),
    count,
    1 << get32(home + DEALT_BITS),
  );
}

/** Records that the first `lanes` lanes still lack their share of `count` permits, whose numbers begin with `from`. */
export function noteDeal(agent: AgentAddress, home: LineAddress, tag: i32, from: i64, count: i32, lanes: i32): void {
  put32(agent + AGENT_DUTY_KIND, KIND_SEMA);
  put64(agent + AGENT_DUTY_FROM, from);
  put32(agent + AGENT_DUTY_COUNT, count);
  put32(agent + AGENT_DUTY_LEFT, lanes);
  put32(agent + AGENT_DUTY_TAG, tag);
  // Written last: with `jsEngine` an agent may die in between.
  put32(agent + AGENT_DUTY, home);
}

function give(lane: LineAddress, agent: AgentAddress): Tell {
  const grant = add64(lane + GRANT, wide(1));
  if (hasTokens(lane)) {
    // A stray waits as other waiters do. If another agent takes the token first, the stray continues to wait.
    detachOf(agent, lane, asChain(lane + OWN_CHAIN));
    const told = tellOfTokens(agent, lane);
    return told === IDLE && isOnDuty(agent) ? NEEDS_WALK : told;
  }
  // Lost wake-up, releasing side: load TICKET after the add. Pairs with `drawInside` and the core's `link`.
  return minus(load64(lane + TICKET), grant) <= wide(0) ? IDLE : announceAt(lane, agent, grant, 1);
}

/**
 * Closes the first line of a multilane semaphore, or of a lightweight semaphore, which has the layout of a multilane
 * semaphore with one lane. The walk closes the lines behind it and then sweeps all buckets. Returns RACED if it was
 * closed before.
 *
 * @takes The tag of the first line to its negative; the walk closes the lines behind it
 * @leaves `AGENT_DUTY` with `AGENT_DUTY_COUNT` 0
 * @death Walk
 */
export function closeFront(agent: AgentAddress, home: LineAddress, tag: i32): TakeOutcome {
  if (cas32(home + BLOCK_TAG, tag, -tag) !== tag) return RACED;
  noteDeal(agent, home, tag, wide(0), 0, 1 << get32(home + DEALT_BITS));
  return TAKEN;
}

/**
 * Does a part of the walk: gives the next lane its share of a post or, after a close, closes that lane. Returns AGAIN,
 * or the word to notify.
 */
export function dealNext(agent: AgentAddress): typeof AGAIN | NotifyAddress {
  // Keeps the block: the record may stop naming it before the last lane gets its share.
  setHazard(agent, asLine(get32(agent + AGENT_DUTY)));
  const told = dealUnderHazard(agent);
  clearHazard(agent);
  return told;
}

function dealUnderHazard(agent: AgentAddress): typeof AGAIN | NotifyAddress {
  const home = asLine(get32(agent + AGENT_DUTY));
  const index = get32(agent + AGENT_DUTY_LEFT) - 1;
  const count = get32(agent + AGENT_DUTY_COUNT);
  const tag = get32(agent + AGENT_DUTY_TAG);
  const isThere = load32(home + BLOCK_TAG) === (count === 0 ? -tag : tag);
  put32(agent + AGENT_DUTY_LEFT, index);
  if (index <= 0 || !isThere) store32(agent + AGENT_DUTY, 0);
  if (index < 0 || !isThere) return AGAIN;
  const lane = laneAt(home, index);
  if (count === 0) {
    // Waiters that the sweep wakes must find their line closed.
    if (index === 0) put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
    return closeLine(agent, lane, tag);
  }
  const share = shareOf(home, low32(get64(agent + AGENT_DUTY_FROM)), count, index);
  if (share === 0) return AGAIN;
  announceAt(lane, agent, add64(lane + GRANT, wide(share)), share);
  return AGAIN;
}

export function shareOf(home: LineAddress, from: i32, count: i32, lane: i32): i32 {
  const bits = get32(home + DEALT_BITS);
  const shuffled = isShuffled(home);
  // Rounds wrap with the numbers, in the low 32 bits. So the difference has lost its high bits there.
  return ((visits(from + count, lane, bits, shuffled) - visits(from, lane, bits, shuffled)) << bits) >>> bits;
}

/**
 * Whether the element is that of a stray: its waiter left its lane and is still counted. The permit that comes to it is
 * posted again.
 */
export function isStray(element: ElementAddress): boolean {
  return (get32(get32(element + LINE) + FLAGS) & FLAG_DEALT) !== 0 && get32(element + LEAVING) === 0;
}

/**
 * Takes back the number of a waiter that cancels. Returns CANCELLED if it was the last number, and
 * CANCELLED_LEFT_BEHIND if not.
 */
export function cancelInLanes(
  agent: AgentAddress,
  element: ElementAddress,
): typeof CANCELLED | typeof CANCELLED_LEFT_BEHIND {
  const home = asLine(get32(get32(element + LINE) + FRONT));
  const number = get64(element + NUMBER);
  const end = plus(number, wide(1));
  if (cas64(home + TICKET, end, number) !== end) return CANCELLED_LEFT_BEHIND;
  // Now the previous number is the last one, and it may belong to a stray.
  const lane = laneOf(home, minus(number, wide(1)));
  detachOf(agent, lane, asChain(lane + OWN_CHAIN));
  return CANCELLED;
}

/** Whether the permit for a stray is available. With tokens, it takes one. */
export function isServed(element: ElementAddress, reached: i64): boolean {
  const lane = asLine(get32(element + LINE));
  return reached >= wide(1) && (!hasTokens(lane) || takeToken(lane));
}

/** Posts the permit that came to a stray again. The element becomes the record that the post is to be announced. */
export function postAnew(area: AreaAddress, element: ElementAddress): void {
  const home = asLine(get32(get32(element + LINE) + FRONT));
  const lane = laneOf(home, add64(home + GRANT, wide(1)));
  put32(element + LINE, lane);
  put64(element + DRAWN, add64(lane + GRANT, wide(1)));
  put64(element + POST_END, load64(lane + TICKET));
  put32(element + NEXT, get32(area + AGENT_POSTS));
  // In this order, as in the core's walk.ts. In the other order, an agent that recovers a death in between would return
  // the element to the pool, and then read a record in an element that may belong to another agent.
  put32(area + AGENT_IN_FLIGHT, 0);
  put32(area + AGENT_POSTS, element);
}
