// Steps at a priority semaphore: a box office (box.ts) in front of eight semaphores, its levels. A waiter waits in the
// level of its priority, in order of arrival. A permit that is released for waiters is first undealt. Then a dealer, an
// agent that has the turn, decides which level gets it.
//
// The first line is the box office. The lines behind it are the levels, lowest first: core's lines with tickets,
// FLAG_INNER and FLAG_LEVEL. The levels have no ledger and no bound of their own.
//
//   word                        value                                              written by
//   GRANT of the first line     the count. n > 0: n permits are free · -n: n
//         boxTake: CAS -n · enqueueAtLevel -1 · levelsRelease +n
//                               waiters have no permit yet                         cancelAtLevel +1 · recovery +n
//   UNDEALT                     permits that belong to waiters and have no level
//         levelsRelease +n · the dealer: CAS -1, or +1 after a lost race cancelAtLevel -1, and +1 if it took none ·
//         recovery +n
//   LEVEL_WAITERS of a level    low half: agents that wait there without a permit
//         enqueueAtLevel +1 · the dealer, cancelAtLevel: CAS -1
//                               high half: how many of them have cancelled         cancelAtLevel: in the same CAS +1
//   LEVEL_AGE of a level        grants that passed the level over                  the dealer
//   DEALER                      the agent that deals; DEAL_AGAIN                   dealToLevels
//
//   count        an acquire                                  a release of n
//   > 0          takes one here                              adds n
//   <= 0         counts itself here and in its level, and    adds n, and makes min(n, -count) of them undealt
//                draws a ticket there
//
// WHICH LEVEL. The dealer takes the level with waiters for which AGEING * level + LEVEL_AGE is largest, the lower level
// of two that are equal. The level that gets the permit then has the age 0, as has a level without waiters, and the age
// of each other level grows by 1. So a level that is passed over AGEING times weighs as much as the next higher one:
// priority ageing, as in the schedulers of time-sharing systems.
//
//   Bound. While the same waiter is first in level l, the dealer passes it over at most AGEING * (7 - l) + 7 times; a
//   permit that is being dealt while the waiter arrives does not count. Proof: when level l has the age AGEING * (7 -
//   l), another level m that gets a permit has the age 0 afterwards, and AGEING * m < AGEING * l + LEVEL_AGE of l. From
//   then on both ages grow alike while both levels have waiters. So m gets no second permit before l, and there are
//   seven other levels.
//
// INVARIANTS
//
//   1. Agents counted in the levels = max(0, -count) + UNDEALT, but for steps under way.
//   2. Permits released to a level and not taken there = agents that were removed from LEVEL_WAITERS by the dealer and
//      have not looked yet. So a ticket of a waiter that cancelled, and is no longer counted, never keeps a permit: it
//      is passed on in its level, where a counted waiter has no permit yet (lines.ts).
//   3. The dealer takes the permit first, and then the waiter: an agent that finds its level without a counted waiter
//      has a permit coming. The dealer removes the waiter from the count only if no waiter of the level has cancelled
//      since the dealer took the permit. Otherwise a cancelled waiter may have turned this very permit into a free one,
//      and a third agent may have taken it.
//   4. NO PERMIT STAYS UNDEALT WHILE A WAITER IS COUNTED. A release adds to UNDEALT and then looks at the levels. A
//      waiter counts itself in its level and then looks at UNDEALT. So one of the two sees the other and deals. Only
//      one agent deals at a time. An agent that finds another one dealing leaves DEAL_AGAIN, and the dealer, which
//      cannot give up the turn without seeing it, looks again.
//   5. A turn begins and ends in one step. With `jsEngine` an agent may die in it. Its record says that it has to deal
//      (AGENT_DUTY), and the recovery, which acts for that record, goes on with the turn that DEALER says is its own.

import {
  add32,
  add64,
  AGAIN,
  AGENT_CHAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_DUTY_TAG,
  announce,
  asLine,
  BLOCK_TAG,
  CANCELLED,
  cas32,
  cas64,
  clamp,
  credit,
  get32,
  GRANT,
  guard,
  IDLE,
  load32,
  load64,
  low32,
  minus,
  NEEDS_WALK,
  pair,
  plus,
  put32,
  RACED,
  SHUT,
  store32,
  TAKEN,
  times32,
  unguard,
  wide,
  type AgentAddress,
  type Draw,
  type EntryAddress,
  type LineAddress,
  type Uncount,
} from '@sluice/core/kernel';
import { drawInside } from './box.ts';
import { AGEING, DEAL_AGAIN, DEALER, FRONT, LEVEL_AGE, LEVEL_BITS, LEVEL_WAITERS, LEVELS, UNDEALT } from './layout.ts';
import { laneAt, noteDeal } from './multilane.ts';
import { releaseBy, type Post, type ReleaseOrTell, type Tell } from './release.ts';

/** AGENT_DUTY_LEFT of an agent that has to deal. Lanes count down from their number to 0. */
export const TO_LEVELS: i32 = -1;
const MOST: i32 = 0x7fffffff;
const EMPTY: i32 = -1;

/** Notes that the agent has to look whether there is a permit to deal. Run the walk. */
function noteDealing(agent: AgentAddress, home: LineAddress, tag: i32): void {
  noteDeal(agent, home, tag, wide(0), 0, TO_LEVELS);
}

/**
 * Takes one permit, or counts the agent and draws a ticket in that level. TAKEN, SHUT, or the agent's spare element,
 * QUEUED. The agent must have a spare. Run the walk if AGENT_DUTY_KIND is not 0.
 *
 * @takes A free permit of a priority semaphore: `GRANT` (its count) - 1; or the same as a place, then `LEVEL_WAITERS` +
 *   1 and a ticket in its level: `TICKET` + 1 there
 * @leaves `ENTRY_HELD` + 1; or the ticket as in `acquire`, `LEAVING` 0. If permits are undealt: `AGENT_DUTY_KIND`,
 *   `AGENT_DUTY_LEFT` -1, `AGENT_DUTY_TAG`, then `AGENT_DUTY`
 * @death Given back; or cancelled; walk
 */
export function enqueueAtLevel(
  home: LineAddress,
  tag: i32,
  entry: EntryAddress,
  agent: AgentAddress,
  level: i32,
): Draw {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  if (add64(home + GRANT, wide(-1)) > wide(0)) {
    credit(entry, wide(1));
    return TAKEN;
  }
  const lane = laneAt(home, level);
  add64(lane + LEVEL_WAITERS, wide(1));
  // After the count. A dealer that looked before it found no waiter, and left its permit for this one.
  if (load32(laneAt(home, 0) + UNDEALT) > 0) noteDealing(agent, home, tag);
  return drawInside(lane, tag, entry, agent);
}

class LevelsPost implements Post {
  /** The permits that are for waiters are to be dealt: the count was `before`. */
  tell(home: LineAddress, tag: i32, agent: AgentAddress, before: i64, count: i32): Tell {
    const given = clamp(minus(wide(0), before), count);
    if (given === 0) return IDLE;
    add32(laneAt(home, 0) + UNDEALT, given);
    noteDealing(agent, home, tag);
    // Deals one permit in this step. Usually it is the only one, and the next waiter is not another agent's: then no
    // walk is needed.
    dealToLevels(agent);
    if (get32(agent + AGENT_DUTY) !== 0) return NEEDS_WALK;
    put32(agent + AGENT_DUTY_KIND, 0);
    return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
  }
}

const levelsPost = /* @__PURE__ */ new LevelsPost();

/**
 * Releases permits. Results as of `releaseBy`.
 *
 * @takes n permits: `GRANT` + n; as far as it was below 0, that many are to be dealt: `UNDEALT`. Then it deals one of
 *   them, as the walk does
 * @leaves As `release`; the duty as above. When nothing is left of it: `AGENT_DUTY` 0, `AGENT_DUTY_KIND` 0
 * @death Walk
 */
export function levelsRelease(
  home: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseOrTell {
  return releaseBy(levelsPost, home, tag, agent, entry, count);
}

/** Releases permits that a dead agent held, or was given and never saw. Run the walk. */
export function restoreToLevels(home: LineAddress, agent: AgentAddress, held: i64): void {
  const given = clamp(minus(wide(0), add64(home + GRANT, held)), clamp(held, MOST));
  if (given === 0) return;
  add32(laneAt(home, 0) + UNDEALT, given);
  noteDealing(agent, home, load32(home + BLOCK_TAG));
}

/**
 * Removes one waiter of that level from the count. TAKEN: a permit was dealt for it. RACED: call again. Run the walk.
 */
export function cancelAtLevel(agent: AgentAddress, lane: LineAddress): Uncount {
  const waiters = load64(lane + LEVEL_WAITERS);
  if (low32(waiters) <= 0) return TAKEN;
  // One less in the low half, one more in the high half: 2^32 - 1 more.
  if (cas64(lane + LEVEL_WAITERS, waiters, plus(waiters, pair(-1, 0))) !== waiters) return RACED;
  const home = asLine(get32(lane + FRONT));
  const undealt = laneAt(home, 0) + UNDEALT;
  // Before the count, which may make the permit of this waiter a free one: until then no other agent must deal it.
  add32(undealt, -1);
  if (add64(home + GRANT, wide(1)) >= wide(0)) return CANCELLED;
  // None of the undealt permits was for this waiter. An agent that looked meanwhile may have found none.
  if (add32(undealt, 1) >= 0) noteDealing(agent, home, load32(home + BLOCK_TAG));
  return CANCELLED;
}

/** A part of the walk: deals one permit, or ends the agent's duty if there is none to deal, or another agent does. */
export function dealToLevels(agent: AgentAddress): typeof AGAIN {
  // The record may stop naming the block before the last write to it.
  guard(agent, asLine(get32(agent + AGENT_DUTY)));
  dealInTurn(agent);
  unguard(agent);
  return AGAIN;
}

function dealInTurn(agent: AgentAddress): void {
  const home = asLine(get32(agent + AGENT_DUTY));
  if (load32(home + BLOCK_TAG) !== get32(agent + AGENT_DUTY_TAG)) {
    endDuty(agent);
    return;
  }
  const lowest = laneAt(home, 0);
  const turn = cas32(lowest + DEALER, 0, agent);
  if (turn !== 0 && (turn & ~DEAL_AGAIN) !== agent) {
    if ((turn & DEAL_AGAIN) !== 0 || cas32(lowest + DEALER, turn, turn | DEAL_AGAIN) === turn) endDuty(agent);
    return;
  }
  const isDone = !dealOne(home, agent);
  // An agent that left DEAL_AGAIN wrote its permit or its count before: look again. An agent that comes later takes the
  // turn itself.
  if (cas32(lowest + DEALER, agent, 0) !== agent) store32(lowest + DEALER, 0);
  else if (isDone) endDuty(agent);
}

function endDuty(agent: AgentAddress): void {
  store32(agent + AGENT_DUTY, 0);
}

/** Gives an undealt permit to the level that comes next. False: it was the last one, or there is no waiter for one. */
function dealOne(home: LineAddress, agent: AgentAddress): boolean {
  const lowest = laneAt(home, 0);
  const undealt = load32(lowest + UNDEALT);
  if (undealt <= 0) return false;
  const rank0 = rankOf(home, 0);
  const rank1 = rankOf(home, 1);
  const rank2 = rankOf(home, 2);
  const rank3 = rankOf(home, 3);
  const rank4 = rankOf(home, 4);
  const rank5 = rankOf(home, 5);
  const rank6 = rankOf(home, 6);
  const rank7 = rankOf(home, 7);
  const first = higher(
    higher(higher(rank0, rank1), higher(rank2, rank3)),
    higher(higher(rank4, rank5), higher(rank6, rank7)),
  );
  if (first === EMPTY) return false;
  const lane = laneAt(home, LEVELS - 1 - (first & (LEVELS - 1)));
  // Before the permit is taken: see invariant 3.
  const waiters = load64(lane + LEVEL_WAITERS);
  if (low32(waiters) <= 0) return true;
  if (cas32(lowest + UNDEALT, undealt, undealt - 1) !== undealt) return true;
  if (cas64(lane + LEVEL_WAITERS, waiters, minus(waiters, wide(1))) !== waiters) {
    add32(lowest + UNDEALT, 1);
    return true;
  }
  setAge(home, 0, rank0, first);
  setAge(home, 1, rank1, first);
  setAge(home, 2, rank2, first);
  setAge(home, 3, rank3, first);
  setAge(home, 4, rank4, first);
  setAge(home, 5, rank5, first);
  setAge(home, 6, rank6, first);
  setAge(home, 7, rank7, first);
  // The waiter may find its permit and free the block from here on, but for the guard.
  announce(lane, agent, add64(lane + GRANT, wide(1)), 1);
  // In the turn: an agent that adds a permit after this load finds the turn taken, and leaves DEAL_AGAIN.
  return load32(lowest + UNDEALT) > 0;
}

/** EMPTY, or a number that is larger for the level that comes first; its low bits say which level that is. */
function rankOf(home: LineAddress, level: i32): i32 {
  const lane = laneAt(home, level);
  if (load32(lane + LEVEL_WAITERS) <= 0) return EMPTY;
  return (
    ((times32(level, get32(laneAt(home, 0) + AGEING)) + get32(lane + LEVEL_AGE)) << LEVEL_BITS) | (LEVELS - 1 - level)
  );
}

function higher(one: i32, other: i32): i32 {
  return one > other ? one : other;
}

function setAge(home: LineAddress, level: i32, rank: i32, first: i32): void {
  const lane = laneAt(home, level);
  put32(lane + LEVEL_AGE, rank === EMPTY || rank === first ? 0 : get32(lane + LEVEL_AGE) + 1);
}
