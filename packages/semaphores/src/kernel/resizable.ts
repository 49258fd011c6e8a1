// Steps at a resizable semaphore: a box office in front of one line of the core's kind. The first line of its block is
// the line in which agents wait, with TICKET and GRANT. The second line has the box office, and is the line of agents
// that wait until a permit is free.
//
//   word                      value                                     written by
//   BALANCE   high half b     permits that are free; less than 0: debt  takeSized, drainSized, enqueueSized: -n
//                                                                       releaseSized, restoreSized, resizeSized: +n
//   BALANCE   low half w      permits that the waiters in line lack     enqueueSized +n · cancelSized, a release: -n
//   GRANT of the first line   permits that were given to the line       the step that changes w, by the same number
//   CAPACITY                  permits that exist, free or held          resizeSized, forgetSized, releaseSized
//   GRANT of the second line  how often a permit has become free        +1 in a step that leaves b > 0, if WATCHED is 1
//
//   An acquire of n takes n of b, if b >= n. Otherwise it takes all of b into the line, adds the rest to w and draws a
//   ticket for n. A release of n adds n to b. If b is more than 0 then, it gives min(b, w) to the line.
//
// INVARIANTS
//
//   1. If b > 0, then w = 0: a permit is free only while no waiter lacks one. Both halves change in one
//      compare-and-swap.
//   2. b < 0 is a debt. A release pays it before the line gets anything, because only what b has above 0 goes to the
//      line.
//   3. Permits that counted waiters in line want and have not taken = w + permits given to the line and not taken.
//      Cancelled tickets are passed over: they get permits and pass them on (kernel/walk.ts of the core). So they count
//      on neither side.
//   4. A waiter that wants n permits and cancels leaves in one of three ways. If w >= n, it subtracts n from w, and its
//      ticket becomes a tombstone. Permits for the ticket go to the waiters behind it, which lack them. If 0 < w < n,
//      the line was given n - w permits more than the other waiters want. The waiter takes these with its ticket and
//      releases them. The w permits that its ticket lacks are added to GRANT without permits. So w is 0, and every
//      other waiter is due. If w = 0, all its n permits are available or under way, so it has got them.
//   5. An agent that waits until a permit is free misses none. It sets WATCHED, reads GRANT of the second line, and
//      then reads b (`watchSized`). A step that leaves b > 0 changes b and then reads WATCHED (`showFree`). So either
//      the agent sees the permit, or the step raises GRANT after the agent has read it.
//   6. CANCELLED_AT is one word. If a waiter was counted before a cancel, and its ticket was not due at the cancel, its
//      wait is cancelled. If a permit is given to its ticket later, it passes the permit on. If its ticket was due at
//      the cancel, the wait succeeds. The two numbers alone decide, whenever the waiter checks, so each wait ends in
//      only one way. The word describes only the last cancel. So a waiter that finds two cancels is cancelled, even if
//      it was due at the first. Otherwise the second cancel could revoke the first.
//   7. No cancelled waiter stays asleep. A waiter parks and then reads CANCELLED_AT (`parkSized`). A cancel writes
//      CANCELLED_AT and then visits the elements of all waiters (`walkSized`). If its agent dies, the recovery
//      continues the visits.
//
// NO WAKE-UP IS LOST. If the watcher W set WATCHED after its check (invariant 5; the mutant "a watcher announces itself
// after its check instead of before"), the release R could miss W:
//
//   1. W reads GRANT of the second line, and then b: 0. No permit is free.
//   2. R adds to the balance: b is 1.
//   3. R reads WATCHED: 0. It does not raise GRANT.
//   4. W sets WATCHED and sleeps until GRANT is raised. A permit is free, and no agent tells W.
//
// In the order of the code, W sets WATCHED before it reads b. So R finds WATCHED 1 at step 3 and raises GRANT, or W
// reads b 1 and does not sleep.
//
// If a waiter V parked without reading CANCELLED_AT again (invariant 7; the mutant "a waiter parks without a check for
// a cancel"), the cancel C could miss V:
//
//   1. V checks its wait: it has no permit and is not cancelled (`pollSized`).
//   2. C writes CANCELLED_AT.
//   3. C visits V's element. It is not PARKED, so C wakes no agent.
//   4. V parks and sleeps. C does not visit its element again.
//
// With the check, V reads CANCELLED_AT after it has parked at step 4, and cancels its wait.

import {
  asBlock,
  asLine,
  BLOCK_LINE,
  BLOCK_TAG,
  CAPACITY,
  ENTRY_HELD,
  GRANT,
  IDLE,
  LEAVING,
  NEEDS_WALK,
  OVERFLOW,
  RACED,
  RELEASED_FOR_OTHERS,
  SHUT,
  TAKEN,
  TICKET,
  TOO_FEW,
  WAITING,
  type AgentAddress,
  type TakeOutcome,
  type Draw,
  type EntryAddress,
  type LineAddress,
  type Try,
  type Wake,
} from '@sluice/core/format';
import {
  add64,
  announce,
  cas64,
  clamp,
  close,
  credit,
  debit,
  get64,
  high32,
  load32,
  load64,
  low32,
  minus,
  NOTED,
  offset,
  pair,
  plus,
  put32,
  put64,
  queue,
  restoreAt,
  takeBack,
  wide,
  type RecordedOffice,
} from '@sluice/core/kernel';
import { BALANCE, CANCELLED_AT, CANCELS_SEEN, WATCHED } from './layout.ts';

const MAX_I32: i32 = 0x7fffffff;

/** Returns the second line of the block. */
export function officeOf(home: LineAddress): LineAddress {
  return asLine(home + BLOCK_LINE);
}

/**
 * Takes `count` permits if they are free. Otherwise returns WAITING.
 *
 * @step `takeSized`, `drainSized`
 * @takes Free permits of a resizable semaphore: the high half of `BALANCE` less their number, by CAS
 * @leaves `ENTRY_HELD` + their number
 * @death Given back
 */
export function takeSized(home: LineAddress, tag: i32, entry: EntryAddress, count: i32): Try {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const office = officeOf(home);
  const word = load64(office + BALANCE);
  if (high32(word) < count) return WAITING;
  if (cas64(office + BALANCE, word, minus(word, pair(0, count))) !== word) return RACED;
  credit(entry, wide(count));
  return TAKEN;
}

/** Takes all free permits. Returns their number, or RACED, or SHUT. */
export function drainSized(home: LineAddress, tag: i32, entry: EntryAddress): i32 {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const office = officeOf(home);
  const word = load64(office + BALANCE);
  const free = high32(word);
  if (free <= 0) return 0;
  if (cas64(office + BALANCE, word, minus(word, pair(0, free))) !== word) return RACED;
  credit(entry, wide(free));
  return free;
}

/**
 * Takes `count` permits, or counts the agent and draws a ticket. Returns TAKEN, SHUT, RACED, or the agent's spare
 * element, which is then QUEUED. Returns OVERFLOW, and changes nothing, if the waiters together would lack more than
 * 2^31 - 1 permits. The agent must have a spare. Run the walk afterwards.
 *
 * @takes n permits, as `takeSized`. Or a place: the f free permits (f < n), and the low half of `BALANCE` + n - f, by
 *   CAS; then `TICKET` + n, and `GRANT` + f
 * @leaves `ENTRY_HELD` + n; or the ticket as in `acquire`, `LEAVING` 0, `CANCELS_SEEN`; the chain or keys as in
 *   `release`
 * @death The permits are given back, or the wait is cancelled; walk
 */
export function enqueueSized(
  home: LineAddress,
  tag: i32,
  entry: EntryAddress,
  agent: AgentAddress,
  count: i32,
): Draw | typeof RACED | typeof OVERFLOW {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const office = officeOf(home);
  // Read before the agent is counted: a cancel that it does not see comes later.
  const seen = high32(load64(office + CANCELLED_AT));
  const word = load64(office + BALANCE);
  const free = high32(word);
  if (free >= count) {
    if (cas64(office + BALANCE, word, minus(word, pair(0, count))) !== word) return RACED;
    credit(entry, wide(count));
    return TAKEN;
  }
  const taken = free > 0 ? free : 0;
  const lacks = count - taken;
  if (low32(word) > MAX_I32 - lacks) return OVERFLOW;
  if (cas64(office + BALANCE, word, pair(low32(word) + lacks, free - taken)) !== word) return RACED;
  const element = queue(agent, home, tag, count, add64(home + TICKET, wide(count)));
  put32(element + LEAVING, 0);
  put32(element + CANCELS_SEEN, seen);
  // Another agent may have drawn a ticket since the count. So the permits that this agent took belong to the first in
  // line.
  if (taken > 0) announce(home, agent, add64(home + GRANT, wide(taken)), taken);
  return element;
}

/**
 * Adds `count` to the balance, which pays the debt. Free permits then go to the waiters that lack them. Returns IDLE or
 * NEEDS_WALK. RACED, OVERFLOW: nothing changed.
 */
function addToBalance(home: LineAddress, agent: AgentAddress, count: i32): Wake | typeof RACED | typeof OVERFLOW {
  const office = officeOf(home);
  const word = load64(office + BALANCE);
  const sum = plus(wide(high32(word)), wide(count));
  const given = clamp(sum, low32(word));
  const free = minus(sum, wide(given));
  if (free > wide(MAX_I32) || free < wide(-MAX_I32)) return OVERFLOW;
  if (cas64(office + BALANCE, word, pair(low32(word) - given, low32(free))) !== word) return RACED;
  // Lost wake-up, releasing side: the count first, then GRANT. Pairs with the step that draws a ticket: it changes the
  // count by a compare-and-swap of the same word, then draws its ticket and reads GRANT (core: `link`).
  let told: Wake = IDLE;
  if (given > 0) told = announce(home, agent, add64(home + GRANT, wide(given)), given);
  if (count > 0 && free > wide(0) && showFree(office, agent) === NEEDS_WALK) told = NEEDS_WALK;
  return told;
}

/** Admits the agents that wait until a permit is free. */
function showFree(office: LineAddress, agent: AgentAddress): Wake {
  // After the write of the balance (invariant 5).
  if (load32(office + WATCHED) === 0) return IDLE;
  return announce(office, agent, add64(office + GRANT, wide(1)), 1);
}

/**
 * The results of a release, and of a change of the size.
 *
 * @step `releaseSized`, `resizeSized`
 * @takes The high half of `BALANCE` + n; its free permits go to the low half, by CAS, and to `GRANT`. If permits stay
 *   free and `WATCHED` is set: `GRANT` of the second line + 1. `resizeSized`: before that `CAPACITY` by CAS, and back
 *   if the second CAS lost
 * @leaves As `release`; the chains of both lines, or keys
 * @death Walk
 */
export type ReleaseSized = Wake | typeof SHUT | typeof OVERFLOW | typeof RACED;

/** Releases permits. Returns SHUT or RACED, or OVERFLOW if more than 2^31 - 1 permits would be free. */
export function releaseSized(
  home: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  count: i32,
): ReleaseSized {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const more = wide(count);
  const own = get64(entry + ENTRY_HELD);
  const theirs = debit(entry, more) ? NOTED : noteMore(home, entry, more, own);
  const given = addToBalance(home, agent, count);
  if (given === RACED || given === OVERFLOW) takeBack(home, entry, more, own, theirs);
  return given;
}

/**
 * Records that an agent releases more than the `own` permits that it holds. Does what `giveMore` of the core does, with
 * the number of permits that other agents hold or collect: the balance is exact here. Returns the number of permits
 * released for other agents.
 */
function noteMore(home: LineAddress, entry: EntryAddress, count: i64, own: i64): i32 {
  put64(entry + ENTRY_HELD, wide(0));
  const more = low32(minus(count, own));
  const theirs = heldByOthers(home, own, more);
  if (theirs > 0) add64(home + RELEASED_FOR_OTHERS, wide(theirs));
  if (more > theirs) add64(home + CAPACITY, wide(more - theirs));
  return theirs;
}

/** Returns the number of permits that are held or collected beside the `own` permits of an agent, at most `most`. */
function heldByOthers(home: LineAddress, own: i64, most: i32): i32 {
  const balance = wide(high32(load64(officeOf(home) + BALANCE)));
  return clamp(minus(minus(load64(home + CAPACITY), own), balance), most);
}

/**
 * Changes the number of permits that exist: to `value`, or by `value` if `isChange` is 1. Returns the results of
 * `releaseSized`. OVERFLOW: the permits or the debt would be more than 2^31 - 1.
 */
export function resizeSized(home: LineAddress, tag: i32, agent: AgentAddress, value: i32, isChange: i32): ReleaseSized {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const before = load64(home + CAPACITY);
  const after = isChange !== 0 ? plus(before, wide(value)) : wide(value);
  const by = minus(after, before);
  if (after > wide(MAX_I32) || after < wide(-MAX_I32) || by > wide(MAX_I32) || by < wide(-MAX_I32)) return OVERFLOW;
  if (by === wide(0)) return IDLE;
  // The capacity first: if two agents set it at once, each then adds its own difference to the balance.
  if (cas64(home + CAPACITY, before, after) !== before) return RACED;
  const given = addToBalance(home, agent, low32(by));
  if (given === RACED || given === OVERFLOW) add64(home + CAPACITY, minus(wide(0), by));
  return given;
}

/**
 * Gives up `count` permits that were acquired: they are no longer held, and no longer exist. Returns TOO_FEW, and
 * changes nothing, if fewer permits are held. Returns SHUT if the semaphore was freed.
 *
 * @takes `CAPACITY` - n
 * @leaves Before that `ENTRY_HELD` less the permits that the agent itself holds; the rest to `RELEASED_FOR_OTHERS`
 * @death Nothing: the permits no longer exist
 */
export function forgetSized(
  home: LineAddress,
  tag: i32,
  entry: EntryAddress,
  count: i32,
): typeof TAKEN | typeof TOO_FEW | typeof SHUT {
  const now = load32(home + BLOCK_TAG);
  if (now !== tag && now !== -tag) return SHUT;
  const own = clamp(get64(entry + ENTRY_HELD), count);
  if (heldByOthers(home, wide(own), count - own) < count - own) return TOO_FEW;
  // The ledger first: with `jsEngine` an agent may die in between, and a lost permit is better than a duplicated one.
  put64(entry + ENTRY_HELD, minus(get64(entry + ENTRY_HELD), wide(own)));
  // Another agent acquired the rest. As after a release for that agent, its recovery must not give these back.
  if (count > own) add64(home + RELEASED_FOR_OTHERS, wide(count - own));
  add64(home + CAPACITY, wide(-count));
  return TAKEN;
}

class SizedPermits implements RecordedOffice {
  /** Excludes permits that other agents released for the dead agent (RELEASED_FOR_OTHERS). */
  giveBack(home: LineAddress, agent: AgentAddress, entry: EntryAddress, permits: i32): i32 {
    const held = get64(entry + ENTRY_HELD);
    const others = load64(home + RELEASED_FOR_OTHERS);
    if (others > wide(0)) return offset(home, entry, held, others);
    put64(entry + ENTRY_HELD, wide(0));
    if (addToBalance(home, agent, permits) !== RACED) return permits;
    put64(entry + ENTRY_HELD, held);
    return RACED;
  }
}

const sizedPermits = /* @__PURE__ */ new SizedPermits();

/**
 * Releases the permits that a dead agent's ledger entry records. Returns their number, or RACED if the caller must call
 * again. Run the walk afterwards.
 */
export function restoreSized(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(sizedPermits, agent, entry);
}

/**
 * Closes both lines. Returns RACED if the semaphore was closed or freed before. Run the walk.
 *
 * @takes The tags of both lines to their negatives, the first line last
 * @leaves `AGENT_SWEEP`
 * @death Walk
 */
export function closeSized(agent: AgentAddress, home: LineAddress, tag: i32): TakeOutcome {
  // The first line last: until it is closed, another close repeats both.
  close(agent, asBlock(officeOf(home)), tag);
  return close(agent, asBlock(home), tag);
}
