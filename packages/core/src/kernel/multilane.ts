// Steps at a multilane semaphore: several semaphores, its lanes, side by side. After Dice's "multilane" idiom. Arrivals are numbered
// and so are posts, and the k-th post goes to the lane of the k-th arrival.
//
// The first line is the home, the lines behind it are the lanes: their own TICKET and GRANT, the FLAG_* of their scheme and FLAG_DEALT.
//
//   word of the home   value                                                  written by
//   TICKET     arrivals                                                        enterLane +1, tryEnterLane, endDrain: CAS · leave, walk: CAS back
//   GRANT      posts                                                           postToLanes +n · recovery · walk: +1 for a stray
//   DEALT_BITS log2 of the number of lanes                                     create
//   RELEASED_FOR_OTHERS, CAPACITY, LIMIT as of any semaphore
//
//   lane of k: FLAG_SHUFFLED not set: k mod lanes. Set: in each round of as many as there are lanes every lane comes once, in an
//   order that is another in the next round.
//
// INVARIANTS
//
//   1. Tickets drawn in a lane = arrivals numbered for it, and permits given there = posts numbered for it, but for steps under way
//      and for those who left and are counted no more, whose tickets are skipped within the lane. So no permit is free in one lane
//      while somebody waits in another.
//   2. One step numbers an arrival and draws its ticket, and one step numbers a post and gives it to its lane, or notes in the agent
//      record which lanes have still to get theirs (AGENT_DEAL). No death leaves a hole in the numbers. A drain takes the tickets of many
//      numbers first and the numbers afterwards, under the same note (drain-lanes.ts).
//   3. Who gives up and was the last to arrive takes its number back (LEAVING), and then leaves its lane as it would any semaphore.
//      Else it is a stray: its number stays, its ticket is neither rolled back nor skipped, and the permit that comes to it is posted
//      anew, with a number of its own (walk.ts). Unless all who came later have taken their numbers back before.
//   4. What a dead agent held is posted like any other permit.
//   5. Two that arrive at once may draw their tickets in a lane in another order than their numbers: so one may be overtaken by those
//      who came while it was between the two.

import { announce, credit, debit, giveMore, NOTED, queue, takeBack } from './admit.ts';
import { bucketOf, detach } from './chain.ts';
import { hasTokens, isOfFamily, wakeForClose, takeToken, tellOfTokens } from './family.ts';
import { guard, unguard } from './guard.ts';
import { close } from './heap.ts';
import { turnOf, visits } from './lane-order.ts';
import {
  AGENT_CHAIN,
  AGENT_DEAL,
  AGENT_DEAL_COUNT,
  AGENT_DEAL_FROM,
  AGENT_DEAL_LANES,
  AGENT_DEAL_TAG,
  AGENT_IN_FLIGHT,
  AGENT_POSTS,
  AT,
  BLOCK_LINE,
  BLOCK_TAG,
  DEALT_BITS,
  FLAG_DEALT,
  FLAG_SHUFFLED,
  FLAGS,
  FRONT,
  GRANT,
  LEAVING,
  LIMIT,
  NEXT,
  SEM,
  STRAYS,
  TICKET,
  TO,
} from './layout.ts';
import { AGAIN, FULL, CANCELLED_LEFT_BEHIND, IDLE, CANCELLED, RACED, SHUT, TAKEN, WAITING, NEEDS_WALK } from './states.ts';
import { add64, cas64, get32, get64, load32, load64, low32, minus, plus, put32, put64, store32, wide } from './words.ts';

/** A lane has two lines, 128 bytes. */
const LANE_SHIFT: i32 = 7;

function isShuffled(home: i32): i32 {
  return get32(home + FLAGS) & FLAG_SHUFFLED;
}

export function laneAt(home: i32, index: i32): i32 {
  return home + BLOCK_LINE + (index << LANE_SHIFT);
}

function laneOf(home: i32, number: i64): i32 {
  const bits = get32(home + DEALT_BITS);
  const low = low32(number);
  return laneAt(home, (low ^ turnOf(low >>> bits, isShuffled(home))) & ((1 << bits) - 1));
}

/** Draws a number and a ticket in its lane: TAKEN, SHUT, or the agent's spare element, QUEUED: it must have one. */
export function enterLane(home: i32, tag: i32, entry: i32, agent: i32): i32 {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  return draw(home, tag, entry, agent, add64(home + TICKET, wide(1)));
}

/**
 * As `enterLane`, but only while the next lane has a permit free. WAITING: it has none. An element: another agent that was on its way
 * to the same lane took the permit; leave.
 */
export function tryEnterLane(home: i32, tag: i32, entry: i32, agent: i32): i32 {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const number = load64(home + TICKET);
  const lane = laneOf(home, number);
  if (minus(load64(lane + GRANT), load64(lane + TICKET)) <= wide(0)) return WAITING;
  if (cas64(home + TICKET, number, plus(number, wide(1))) !== number) return RACED;
  return draw(home, tag, entry, agent, number);
}

function draw(home: i32, tag: i32, entry: i32, agent: i32, number: i64): i32 {
  const lane = laneOf(home, number);
  if (!hasTokens(lane)) return drawTicket(lane, tag, entry, agent, number);
  if (!takeToken(lane)) return waitIn(lane, tag, agent, wide(0), number);
  credit(entry, wide(1));
  return TAKEN;
}

function drawTicket(lane: i32, tag: i32, entry: i32, agent: i32, number: i64): i32 {
  const ticket = add64(lane + TICKET, wide(1));
  if (minus(load64(lane + GRANT), ticket) < wide(1)) return waitIn(lane, tag, agent, ticket, number);
  credit(entry, wide(1));
  return TAKEN;
}

function waitIn(lane: i32, tag: i32, agent: i32, ticket: i64, number: i64): i32 {
  const element = queue(agent, lane, tag, 1, ticket);
  put64(element + TO, number);
  put32(element + LEAVING, 0);
  return element;
}

/** Gives permits back. Results as of `boxRelease`. */
export function postToLanes(home: i32, tag: i32, agent: i32, entry: i32, count: i32): i32 {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  if (get32(home + LIMIT) !== 0) return postBounded(home, tag, agent, entry, count);
  const more = wide(count);
  if (!debit(entry, more)) giveMore(home, entry, more, get64(entry), load64(home + GRANT));
  return deal(home, tag, agent, add64(home + GRANT, more), count);
}

function postBounded(home: i32, tag: i32, agent: i32, entry: i32, count: i32): i32 {
  const more = wide(count);
  const posted = load64(home + GRANT);
  if (plus(minus(posted, load64(home + TICKET)), more) > wide(get32(home + LIMIT))) return FULL;
  // Only read where there is an entry.
  const own = get64(entry === 0 ? home : entry);
  const theirs = debit(entry, more) ? NOTED : giveMore(home, entry, more, own, posted);
  if (cas64(home + GRANT, posted, plus(posted, more)) !== posted) {
    if (entry !== 0) takeBack(home, entry, more, own, theirs);
    return RACED;
  }
  return deal(home, tag, agent, posted, count);
}

/** Posts what a dead agent held, or was given and never looked at. Run the walk. */
export function postForDead(home: i32, agent: i32, count: i32): void {
  noteDeal(agent, home, load32(home + BLOCK_TAG), add64(home + GRANT, wide(count)), count, 1 << get32(home + DEALT_BITS));
}

function deal(home: i32, tag: i32, agent: i32, from: i64, count: i32): i32 {
  if (count === 1) return give(laneOf(home, from), agent);
  noteDeal(agent, home, tag, from, count, 1 << get32(home + DEALT_BITS));
  return NEEDS_WALK;
}

/** Notes that the first `lanes` of all lanes have still to get their share of `count` permits, whose numbers begin with `from`. */
export function noteDeal(agent: i32, home: i32, tag: i32, from: i64, count: i32, lanes: i32): void {
  put64(agent + AGENT_DEAL_FROM, from);
  put32(agent + AGENT_DEAL_COUNT, count);
  put32(agent + AGENT_DEAL_LANES, lanes);
  put32(agent + AGENT_DEAL_TAG, tag);
  put32(agent + AGENT_DEAL, home);
}

function give(lane: i32, agent: i32): i32 {
  const grant = add64(lane + GRANT, wide(1));
  if (hasTokens(lane)) {
    // A stray waits as others do. If another takes the token first it goes on waiting.
    detach(agent, lane + STRAYS);
    const told = tellOfTokens(agent, lane);
    return told === IDLE && get32(agent + AGENT_CHAIN) !== 0 ? NEEDS_WALK : told;
  }
  // No lost wake-up, this end: as in `release` (admit.ts).
  return minus(load64(lane + TICKET), grant) <= wide(0) ? IDLE : announce(lane, agent, grant, 1);
}

/** Closes a multilane semaphore, or a lightweight one, which is laid out as one with one lane. Run the walk. RACED: it was closed. */
export function closeFront(agent: i32, home: i32, tag: i32): i32 {
  if (close(agent, home, tag) === RACED) return RACED;
  noteDeal(agent, home, tag, wide(0), 0, 1 << get32(home + DEALT_BITS));
  return TAKEN;
}

/** A part of the walk: the share of the next lane in what is being posted; of nothing, where it was closed. The result is as of `tell`. */
export function dealNext(agent: i32): i32 {
  // The record may stop to name the block before the last lane gets its share.
  guard(agent, get32(agent + AGENT_DEAL));
  const told = dealGuarded(agent);
  unguard(agent);
  return told;
}

function dealGuarded(agent: i32): i32 {
  const home = get32(agent + AGENT_DEAL);
  const index = get32(agent + AGENT_DEAL_LANES) - 1;
  const count = get32(agent + AGENT_DEAL_COUNT);
  const isThere = load32(home + BLOCK_TAG) === (count === 0 ? -get32(agent + AGENT_DEAL_TAG) : get32(agent + AGENT_DEAL_TAG));
  put32(agent + AGENT_DEAL_LANES, index);
  if (index <= 0 || !isThere) store32(agent + AGENT_DEAL, 0);
  if (index < 0 || !isThere) return AGAIN;
  if (count === 0) return wakeForClose(agent, laneAt(home, index));
  const share = shareOf(home, low32(get64(agent + AGENT_DEAL_FROM)), count, index);
  if (share === 0) return AGAIN;
  const lane = laneAt(home, index);
  announce(lane, agent, add64(lane + GRANT, wide(share)), share);
  return AGAIN;
}

export function shareOf(home: i32, from: i32, count: i32, lane: i32): i32 {
  const bits = get32(home + DEALT_BITS);
  const shuffled = isShuffled(home);
  // Rounds wrap where numbers do, in the low 32 bits: there the difference has lost its high bits.
  return ((visits(from + count, lane, bits, shuffled) - visits(from, lane, bits, shuffled)) << bits) >>> bits;
}

/** Who left its lane and is counted still: the permit that comes to it is posted anew. */
export function isStray(element: i32): boolean {
  return (get32(get32(element + SEM) + FLAGS) & FLAG_DEALT) !== 0 && get32(element + LEAVING) === 0;
}

/** Takes back the number of who gives up. CANCELLED: it was the last one. CANCELLED_LEFT_BEHIND: it was not. */
export function cancelInLanes(agent: i32, element: i32): i32 {
  const home = get32(get32(element + SEM) + FRONT);
  const number = get64(element + TO);
  const end = plus(number, wide(1));
  if (cas64(home + TICKET, end, number) !== end) return CANCELLED_LEFT_BEHIND;
  // The one before is the last one now, and it may be a stray.
  const lane = laneOf(home, minus(number, wide(1)));
  detach(agent, isOfFamily(lane) ? lane + STRAYS : bucketOf(lane, minus(load64(lane + TICKET), wide(1))));
  return CANCELLED;
}

/** Whether the permit for a stray is there; of tokens it takes one. */
export function isServed(element: i32, progress: i64): boolean {
  const lane = get32(element + SEM);
  return progress >= wide(1) && (!hasTokens(lane) || takeToken(lane));
}

/** The permit that came to a stray is a new post: the element becomes the note that it is to be announced. */
export function postAnew(agent: i32, element: i32): void {
  const home = get32(get32(element + SEM) + FRONT);
  const lane = laneOf(home, add64(home + GRANT, wide(1)));
  put32(element + SEM, lane);
  put64(element + AT, add64(lane + GRANT, wide(1)));
  put64(element + TO, load64(lane + TICKET));
  put32(element + NEXT, get32(agent + AGENT_POSTS));
  // In this order, as everywhere (walk.ts): whoever recovers an agent that died in between would give it back to the pool, and then read
  // a note in what is another agent's by now.
  put32(agent + AGENT_IN_FLIGHT, 0);
  put32(agent + AGENT_POSTS, element);
}
