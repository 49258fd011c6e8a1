// Steps at a priority semaphore: a box office (box-office.ts) in front of eight semaphores, its levels. A waiter waits
// in the level of its priority, in FIFO order. A permit that is released for waiters is first undealt. Then a dealer,
// the one agent that deals at that time, decides which level gets it.
//
// The first line is the box office. The lines behind it are the levels, lowest first. They are lines with tickets like
// that of the core's semaphore, without a ledger and a bound of their own.
//
//   word                        value                                              written by
//   GRANT of the first line     the count. n > 0: n permits are free               boxTake: CAS -n · levelsRelease +n
//                               -n: n waiters have no permit yet                   enqueueAtLevel -1 · cancelAtLevel +1
//                                                                                  recovery +n
//   UNDEALT                     permits that belong to waiters and have no level   levelsRelease +n · recovery +n
//                                                                                  the dealer: CAS -1,
//                                                                                  +1 after a lost race
//                                                                                  cancelAtLevel -1, +1 if it took none
//   LEVEL_WAITERS of a level    low half: agents that wait there without a permit  enqueueAtLevel +1
//                                                                                  the dealer, cancelAtLevel: CAS -1
//                               high half: the number of cancels                   cancelAtLevel: in the same CAS +1
//   LEVEL_AGE of a level        grants that passed the level over                  the dealer
//   DEALER                      the agent that deals; DEAL_AGAIN                   dealExclusively
//
//   count        an acquire                                  a release of n
//   > 0          takes one here                              adds n
//   <= 0         counts itself here and in its level, and    adds n, and makes min(n, -count) of them undealt
//                draws a ticket there
//
// WHICH LEVEL. The dealer takes the level with waiters for which AGEING * level + LEVEL_AGE is largest. If two levels
// are equal, it takes the lower one. Then the level that gets the permit, and each level without waiters, gets the age
// 0. The age of each other level grows by 1. So after AGEING permits for other levels, a level weighs as much as the
// next higher one. This is priority ageing, as in the schedulers of time-sharing systems.
//
//   Bound. While the same waiter is first in level l, the dealer passes it over at most AGEING * (7 - l) + 7 times; a
//   permit that is being dealt while the waiter arrives does not count. Proof: when level l has the age AGEING * (7 -
//   l), another level m that gets a permit has the age 0 afterwards, and AGEING * m < AGEING * l + LEVEL_AGE of l. From
//   then on both ages grow alike while both levels have waiters. So m gets no second permit before l, and there are
//   seven other levels.
//
// INVARIANTS
//
//   1. Agents counted in the levels = max(0, -count) + UNDEALT, except during a step.
//   2. Permits released to a level and not taken there = agents that the dealer has removed from LEVEL_WAITERS and that
//      have not checked yet. So the ticket of a waiter that cancelled, and is no longer counted, never keeps a permit.
//      The permit is passed on in its level, where a counted waiter has none yet (level-waits.ts).
//   3. The dealer takes the permit first, and then the waiter. So if a waiter that cancels finds no counted waiter in
//      its level, its permit is on its way. The dealer removes the waiter from the count only if no waiter of the level
//      has cancelled since the dealer took the permit. Otherwise a cancelled waiter may have made this permit a free
//      one, and a third agent may have taken it.
//   4. NO PERMIT STAYS UNDEALT WHILE A WAITER IS COUNTED. A release adds to UNDEALT and then looks at the levels. A
//      waiter counts itself in its level and then looks at UNDEALT. So one of the two sees the other and deals. Only
//      one agent deals at a time. If an agent finds another agent dealing, it sets DEAL_AGAIN. The dealer cannot stop
//      dealing without seeing DEAL_AGAIN, and looks again.
//   5. A dealer stops dealing in the step in which it began. With `jsEngine` an agent may die in that step. Its record
//      says that it has to deal (AGENT_DUTY). The recovery acts for that record, finds the record in DEALER, and goes
//      on dealing.
//
// NO WAKE-UP IS LOST (invariant 4). If the waiter W read UNDEALT before it counted itself in its level (the mutant "a
// waiter checks for an undealt permit before it is counted"), the release R could miss W:
//
//   1. W takes one off the count, which is -1 now. W reads UNDEALT: 0.
//   2. R adds 1 to the count. It was -1, so the permit belongs to a waiter: R adds 1 to UNDEALT.
//   3. R deals: it finds no waiter in any level, and leaves the permit undealt.
//   4. W counts itself in its level, draws a ticket there, and sleeps. No agent deals the permit.
//
// In the order of the code, W counts itself before it reads. So R finds W at step 3, or W finds UNDEALT 1 and deals.
//
// The dealer D has the same need when it stops. If D cleared DEALER without comparing it (the mutant "a dealer does not
// check again for an agent that relies on it"), the permit of a release R could stay undealt while a waiter is counted:
//
//   1. D deals a permit and reads UNDEALT: 0. It is done.
//   2. R adds 1 to UNDEALT and finds D in DEALER. R sets DEAL_AGAIN and leaves the permit to D.
//   3. D clears DEALER, and with it DEAL_AGAIN. D deals no more.
//
// With the comparison, D finds DEAL_AGAIN at step 3. It clears DEALER, keeps its duty, and deals again.

import {
  AGAIN,
  AGENT_CHAIN,
  AGENT_DUTY,
  AGENT_DUTY_KIND,
  AGENT_DUTY_LEFT,
  AGENT_DUTY_TAG,
  AGENT_SWEEP,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  CANCELLED,
  GRANT,
  HEADER_BUCKET_MASK,
  IDLE,
  NEEDS_WALK,
  RACED,
  SHUT,
  TAKEN,
  type AgentAddress,
  type TakeOutcome,
  type Draw,
  type EntryAddress,
  type LineAddress,
  type Uncount,
  type Walk,
} from '@sluice/core/format';
import {
  add32,
  add64,
  announce,
  cas32,
  cas64,
  clamp,
  credit,
  get32,
  setHazard,
  load32,
  load64,
  low32,
  minus,
  pair,
  plus,
  put32,
  store32,
  times32,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import { drawInside } from './box-office.ts';
import {
  AGEING,
  DEAL_AGAIN,
  DEALER,
  FRONT,
  KIND_PRIO,
  LEVEL_AGE,
  LEVEL_BITS,
  LEVEL_WAITERS,
  LEVELS,
  UNDEALT,
} from './layout.ts';
import { releaseBy, type Post, type ReleaseOrTell, type Tell } from './release.ts';

/**
 * The value of AGENT_DUTY_LEFT of an agent that has to deal. For an agent that closes, AGENT_DUTY_LEFT is the number of
 * levels that are still to be closed.
 */
const TO_LEVELS: i32 = -1;
const MAX_I32: i32 = 0x7fffffff;
const EMPTY: i32 = -1;
/** A level has 128 bytes. */
const LEVEL_SHIFT: i32 = 7;

export function levelAt(home: LineAddress, level: i32): LineAddress {
  return asLine(home + BLOCK_LINE + (level << LEVEL_SHIFT));
}

function noteDuty(agent: AgentAddress, home: LineAddress, tag: i32, left: i32): void {
  put32(agent + AGENT_DUTY_KIND, KIND_PRIO);
  put32(agent + AGENT_DUTY_LEFT, left);
  put32(agent + AGENT_DUTY_TAG, tag);
  // Written last: with `jsEngine` an agent may die in between.
  put32(agent + AGENT_DUTY, home);
}

/** Records that the agent must check whether there is a permit to deal. Run the walk. */
function noteDealing(agent: AgentAddress, home: LineAddress, tag: i32): void {
  noteDuty(agent, home, tag, TO_LEVELS);
}

/**
 * Takes one permit, or counts the agent and draws a ticket in that level. Returns TAKEN, SHUT, or the agent's spare
 * element, which is then QUEUED. The agent must have a spare. Run the walk if AGENT_DUTY_KIND is not 0.
 *
 * @takes A free permit of a priority semaphore: `GRANT` (its count) - 1. Or a place: `GRANT` - 1, then `LEVEL_WAITERS`
 *   + 1 and a ticket in its level (`TICKET` + 1)
 * @leaves `ENTRY_HELD` + 1; or the ticket as in `acquire`, `LEAVING` 0. If permits are undealt: `AGENT_DUTY_KIND`,
 *   `AGENT_DUTY_LEFT` -1, `AGENT_DUTY_TAG`, then `AGENT_DUTY`
 * @death The permit is given back, or the wait is cancelled; walk
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
  const lane = levelAt(home, level);
  add64(lane + LEVEL_WAITERS, wide(1));
  // Lost wake-up, waiter side: count the waiter, then read UNDEALT. Pairs with `LevelsPost.tell`, which adds to UNDEALT
  // and then looks for counted waiters.
  if (load32(levelAt(home, 0) + UNDEALT) > 0) noteDealing(agent, home, tag);
  return drawInside(lane, tag, entry, agent);
}

class LevelsPost implements Post {
  /** Makes the permits that belong to waiters undealt. `before` is the earlier count. */
  tell(home: LineAddress, tag: i32, agent: AgentAddress, before: i64, count: i32): Tell {
    const given = clamp(minus(wide(0), before), count);
    if (given === 0) return IDLE;
    add32(levelAt(home, 0) + UNDEALT, given);
    noteDealing(agent, home, tag);
    // Deals one permit in this step. Usually it is the only one, and no other agent's waiter is due: then no walk is
    // needed.
    setHazard(agent, home);
    dealExclusively(agent);
    clearHazard(agent);
    if (get32(agent + AGENT_DUTY) !== 0) return NEEDS_WALK;
    put32(agent + AGENT_DUTY_KIND, 0);
    return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
  }
}

const levelsPost = /* @__PURE__ */ new LevelsPost();

/**
 * Releases permits. Returns the results of `releaseBy`.
 *
 * @takes n permits: `GRANT` + n. If `GRANT` was -k, `UNDEALT` + min(n, k). Then it deals one of these, as the walk does
 * @leaves As `release`; the duty as in `enqueueAtLevel`. When nothing is left to deal: `AGENT_DUTY` 0,
 *   `AGENT_DUTY_KIND` 0
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

/** Releases permits that a dead agent held, or that were granted to it without its knowledge. Run the walk. */
export function restoreToLevels(home: LineAddress, agent: AgentAddress, held: i64): void {
  const given = clamp(minus(wide(0), add64(home + GRANT, held)), clamp(held, MAX_I32));
  if (given === 0) return;
  add32(levelAt(home, 0) + UNDEALT, given);
  noteDealing(agent, home, load32(home + BLOCK_TAG));
}

/**
 * Removes one waiter of that level from the count. Returns TAKEN if a permit was dealt for it, and RACED if the caller
 * must call again. Run the walk.
 */
export function cancelAtLevel(agent: AgentAddress, lane: LineAddress): Uncount {
  const waiters = load64(lane + LEVEL_WAITERS);
  if (low32(waiters) <= 0) return TAKEN;
  // One less in the low half and one more in the high half: plus 2^32 - 1.
  if (cas64(lane + LEVEL_WAITERS, waiters, plus(waiters, pair(-1, 0))) !== waiters) return RACED;
  const home = asLine(get32(lane + FRONT));
  const undealt = levelAt(home, 0) + UNDEALT;
  // Before the count, which may make the permit of this waiter free: until then no other agent must deal it.
  add32(undealt, -1);
  if (add64(home + GRANT, wide(1)) >= wide(0)) return CANCELLED;
  // None of the undealt permits was for this waiter. In the meantime another agent may have found none.
  if (add32(undealt, 1) >= 0) noteDealing(agent, home, load32(home + BLOCK_TAG));
  return CANCELLED;
}

/**
 * Closes a priority semaphore. The walk closes the levels and then sweeps all buckets. Returns RACED if it was closed
 * before.
 *
 * @takes The tag of the first line to its negative; the walk closes the levels
 * @leaves `AGENT_DUTY` with `AGENT_DUTY_LEFT` 8
 * @death Walk
 */
export function closeLevels(agent: AgentAddress, home: LineAddress, tag: i32): TakeOutcome {
  if (cas32(home + BLOCK_TAG, tag, -tag) !== tag) return RACED;
  noteDuty(agent, home, tag, LEVELS);
  return TAKEN;
}

/**
 * Does the next part of the walk. Returns IDLE if nothing is left, and AGAIN if the caller must call again.
 *
 * @takes One thing at a time: an undealt permit for a level, or after a close the close of the next level
 * @leaves As `levelsRelease`; `AGENT_DUTY_LEFT` - 1; with the last level `AGENT_DUTY` 0 and `AGENT_SWEEP`; then
 *   `AGENT_DUTY_KIND` 0
 * @death Called again
 */
export function walkLevels(agent: AgentAddress): Walk {
  const home = asLine(get32(agent + AGENT_DUTY));
  if (home === 0) {
    put32(agent + AGENT_DUTY_KIND, 0);
    return IDLE;
  }
  // Keeps the block: the record may stop naming it before the last write to it.
  setHazard(agent, home);
  if (get32(agent + AGENT_DUTY_LEFT) === TO_LEVELS) dealExclusively(agent);
  else closeNext(agent);
  clearHazard(agent);
  return AGAIN;
}

function closeNext(agent: AgentAddress): void {
  const home = asLine(get32(agent + AGENT_DUTY));
  const tag = get32(agent + AGENT_DUTY_TAG);
  const level = get32(agent + AGENT_DUTY_LEFT) - 1;
  const isThere = load32(home + BLOCK_TAG) === -tag;
  put32(agent + AGENT_DUTY_LEFT, level);
  if (level <= 0 || !isThere) endDuty(agent);
  if (level < 0 || !isThere) return;
  // Waiters that the sweep wakes must find their level closed.
  if (level === 0) put32(agent + AGENT_SWEEP, get32(HEADER_BUCKET_MASK) + 1);
  // By compare-and-swap: another agent may have freed the semaphore.
  cas32(levelAt(home, level) + BLOCK_TAG, tag, -tag);
}

/** Deals one permit, if no other agent deals. Otherwise leaves the permit to the dealer. */
function dealExclusively(agent: AgentAddress): void {
  const home = asLine(get32(agent + AGENT_DUTY));
  if (load32(home + BLOCK_TAG) !== get32(agent + AGENT_DUTY_TAG)) {
    endDuty(agent);
    return;
  }
  const lowest = levelAt(home, 0);
  const dealer = cas32(lowest + DEALER, 0, agent);
  if (dealer !== 0 && !isDealer(dealer, agent)) {
    if ((dealer & DEAL_AGAIN) !== 0 || cas32(lowest + DEALER, dealer, dealer | DEAL_AGAIN) === dealer) endDuty(agent);
    return;
  }
  const isDone = !dealOne(home, agent);
  // An agent that set DEAL_AGAIN wrote its permit or its count before that: look again. An agent that comes later
  // becomes the dealer itself.
  if (cas32(lowest + DEALER, agent, 0) !== agent) store32(lowest + DEALER, 0);
  else if (isDone) endDuty(agent);
}

function isDealer(dealer: i32, agent: AgentAddress): boolean {
  return (dealer & ~DEAL_AGAIN) === agent;
}

function endDuty(agent: AgentAddress): void {
  store32(agent + AGENT_DUTY, 0);
}

/**
 * Gives an undealt permit to the level that comes next. Returns false if it was the last one, or if no waiter needs
 * one.
 */
function dealOne(home: LineAddress, agent: AgentAddress): boolean {
  const lowest = levelAt(home, 0);
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
  const lane = levelAt(home, LEVELS - 1 - (first & (LEVELS - 1)));
  // Read before the permit is taken (invariant 3).
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
  // From here on the waiter may find its permit and free the block. The hazard word prevents that.
  announce(lane, agent, add64(lane + GRANT, wide(1)), 1);
  // Read while dealing: an agent that adds a permit after this load finds another dealer, and sets DEAL_AGAIN.
  return load32(lowest + UNDEALT) > 0;
}

/**
 * Returns EMPTY, or a number that is larger for the level that comes first. Its low bits are the number of the level.
 */
function rankOf(home: LineAddress, level: i32): i32 {
  const lane = levelAt(home, level);
  if (load32(lane + LEVEL_WAITERS) <= 0) return EMPTY;
  return (
    ((times32(level, get32(levelAt(home, 0) + AGEING)) + get32(lane + LEVEL_AGE)) << LEVEL_BITS) | (LEVELS - 1 - level)
  );
}

function higher(one: i32, other: i32): i32 {
  return one > other ? one : other;
}

function setAge(home: LineAddress, level: i32, rank: i32, first: i32): void {
  const lane = levelAt(home, level);
  put32(lane + LEVEL_AGE, rank === EMPTY || rank === first ? 0 : get32(lane + LEVEL_AGE) + 1);
}
