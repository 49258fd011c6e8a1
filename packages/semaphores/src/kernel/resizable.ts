// Steps at a resizable semaphore: a box office in front of one line of the core's kind. The first line of its block is the line in which
// agents wait, with TICKET and GRANT. The second line has the box office, and is the line of agents that wait until a permit is free.
//
//   word                      value                                                  written by
//   BALANCE   high half b     permits that are free; less than 0: the debt           takeSized, drainSized, enqueueSized: -n · releaseSized,
//                                                                                    restoreSized, resizeSized: +n
//   BALANCE   low half w      permits that the waiters in line lack                   enqueueSized +n · cancelSized -n · a release: -n
//   GRANT of the first line   permits that were given to the line                    with w, in the same step, by the same number
//   CAPACITY                  permits that exist, free or held                        resizeSized, forgetSized, releaseSized
//   GRANT of the second line  how often a permit has become free                      +1 with a step that leaves b > 0, once WATCHED is 1
//
//   An acquire of n takes n of b, if b >= n. Otherwise it takes all of b into the line, adds the rest to w and draws a ticket for n.
//   A release of n adds n to b. If b is more than 0 then, it gives min(b, w) to the line.
//
// INVARIANTS
//
//   1. If b > 0, then w = 0: a permit is free only while no waiter lacks one. Both halves change in one compare-and-swap.
//   2. b < 0 is a debt. A release pays it before the line gets anything, because only what b has above 0 goes to the line.
//   3. Permits that counted waiters in line want, and have not taken = w + permits given to the line and not taken. Tickets that were given up
//      are passed over: they get permits and pass them on (kernel/walk.ts of the core), so they count on neither side.
//   4. A waiter that wants n permits and cancels leaves in one of two ways. If w >= n, it takes n off w, and its ticket becomes a tombstone: what
//      the ticket gets goes to the waiters behind it, as they lack it. If w < n, the line was given n - w permits more than the other waiters want.
//      The waiter takes these n - w with its ticket and releases them. What its ticket lacks, w, is added to GRANT without a permit, so w is 0 and
//      every other waiter is due. If w = 0, all n permits of the waiter are there or under way, so it has got them.
//   5. No free permit is missed by an agent that waits for one: it sets WATCHED, reads GRANT of the second line and then b. A step that leaves b > 0
//      changes b and then reads WATCHED. So either the agent sees the permit, or the step raises GRANT after the agent has read it.
//   6. CANCELLED_AT is one word. A waiter that was counted before a cancel, and whose ticket was not due then, has lost: also if a permit is given
//      to its ticket later, it passes that permit on. A waiter that was due then has won. The waiter decides by the two numbers alone, whenever it
//      looks, so each wait ends in one way only.
//   7. No cancelled waiter sleeps on. A waiter parks and then reads CANCELLED_AT (parkSized). A cancel writes CANCELLED_AT and then visits the
//      elements of all waiters (walkSized). If its agent dies, the recovery goes on with the visits.

import {
  add64,
  AGAIN,
  AGENT_DUTY,
  AGENT_DUTY_FROM,
  AGENT_DUTY_KIND,
  AGENT_DUTY_LEFT,
  AGENT_DUTY_TAG,
  ADMITTED_DETACHED,
  announce,
  asBlock,
  asElement,
  asGate,
  asLine,
  AT,
  BLOCK_LINE,
  BLOCK_TAG,
  beginPost,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  cancelAdmitted,
  CAPACITY,
  cas32,
  cas64,
  clamp,
  close,
  CLOSED,
  COUNT,
  credit,
  debit,
  ENTRY_HELD,
  FLAGS,
  FREE,
  FULL,
  GATE,
  get32,
  get64,
  GRANT,
  GRANTED,
  guard,
  HEADER_ELEMENT_POOL,
  high32,
  IDLE,
  isFreed,
  isShut,
  LEAVING,
  LINKED,
  load32,
  load64,
  low32,
  minus,
  NEEDS_WALK,
  NOTED,
  offset,
  pair,
  PARKED,
  plus,
  pollAdmitted,
  POOL_COUNT,
  POOL_NEXT,
  POOL_RECORDS,
  POOL_STRIDE,
  progress,
  put32,
  put64,
  queue,
  QUEUED,
  RACED,
  RELEASED_FOR_OTHERS,
  restoreAt,
  rewake,
  SEM,
  SHUT,
  SPENT,
  store32,
  TAG,
  TAKEN,
  takeBack,
  TICKET,
  times32,
  unguard,
  WAITING,
  wide,
  type AgentAddress,
  type Attempt,
  type Cancel,
  type Draw,
  type ElementAddress,
  type Enqueue,
  type EntryAddress,
  type LineAddress,
  type Park,
  type Poll,
  type RecordedOffice,
  type Release,
  type Try,
  type Wake,
  type Walk,
} from '@sluice/core/kernel';
import { BALANCE, CANCEL_REASON, CANCELLED_AT, CANCELS_SEEN, ENTRY_BACK, FLAG_WATCH, KIND_SIZED, WATCHED } from './layout.ts';

/** A look at a wait that has lost against a cancel: the waiter has to leave the line. */
export const LATE = -32;
/** As CANCELLED, and the agent holds ENTRY_BACK permits that it has to release. */
export const CANCELLED_HOLDING = -33;
/** As CANCELLED_LEFT_BEHIND, and the agent holds ENTRY_BACK permits that it has to release. */
export const LEFT_BEHIND_HOLDING = -34;
const MOST: i32 = 0x7fffffff;

/** The second line of the block. */
function officeOf(home: LineAddress): LineAddress {
  return asLine(home + BLOCK_LINE);
}

/** Takes `count` permits if they are free. WAITING: they are not. */
export function takeSized(home: LineAddress, tag: i32, entry: EntryAddress, count: i32): Try {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const office = officeOf(home);
  const word = load64(office + BALANCE);
  if (high32(word) < count) return WAITING;
  if (cas64(office + BALANCE, word, minus(word, pair(0, count))) !== word) return RACED;
  credit(entry, wide(count));
  return TAKEN;
}

/** Takes all free permits and returns their number. RACED, SHUT. */
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
 * Takes `count` permits, or counts the agent and draws a ticket. TAKEN, SHUT, or the agent's spare element, QUEUED. FULL: the waiters together
 * would lack more than 2^31 - 1 permits, nothing changed. RACED. The agent must have a spare. Run the walk.
 */
export function enqueueSized(home: LineAddress, tag: i32, entry: EntryAddress, agent: AgentAddress, count: i32): Draw | typeof RACED | typeof FULL {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const office = officeOf(home);
  // Before the agent is counted: a cancel that it does not see comes later.
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
  if (low32(word) > MOST - lacks) return FULL;
  if (cas64(office + BALANCE, word, pair(low32(word) + lacks, free - taken)) !== word) return RACED;
  const element = queue(agent, home, tag, count, add64(home + TICKET, wide(count)));
  put32(element + LEAVING, 0);
  put32(element + CANCELS_SEEN, seen);
  // Another agent may have drawn a ticket before this one since the count: what was taken is for the first in line.
  if (taken > 0) announce(home, agent, add64(home + GRANT, wide(taken)), taken);
  return element;
}

/**
 * Adds `count` to the balance, which pays the debt. What is above 0 then goes to the waiters, as far as they lack it. IDLE, NEEDS_WALK. RACED, FULL: nothing
 * changed.
 */
function addToBalance(home: LineAddress, agent: AgentAddress, count: i32): Wake | typeof RACED | typeof FULL {
  const office = officeOf(home);
  const word = load64(office + BALANCE);
  const sum = plus(wide(high32(word)), wide(count));
  const given = clamp(sum, low32(word));
  const free = minus(sum, wide(given));
  if (free > wide(MOST) || free < wide(-MOST)) return FULL;
  if (cas64(office + BALANCE, word, pair(low32(word) - given, low32(free))) !== word) return RACED;
  // Lost wake-up, releasing side: the count first, and then GRANT, which a waiter reads after it has drawn its ticket.
  let told: Wake = IDLE;
  if (given > 0) told = announce(home, agent, add64(home + GRANT, wide(given)), given);
  if (count > 0 && free > wide(0) && showFree(office, agent) === NEEDS_WALK) told = NEEDS_WALK;
  return told;
}

/** A permit is free: admits the agents that wait for that. */
function showFree(office: LineAddress, agent: AgentAddress): Wake {
  // After the balance was written: see invariant 5.
  if (load32(office + WATCHED) === 0) return IDLE;
  return announce(office, agent, add64(office + GRANT, wide(1)), 1);
}

/** Releases permits. SHUT. FULL: more than 2^31 - 1 would be free. RACED. */
export function releaseSized(home: LineAddress, tag: i32, agent: AgentAddress, entry: EntryAddress, count: i32): Release {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const more = wide(count);
  const own = get64(entry + ENTRY_HELD);
  const theirs = debit(entry, more) ? NOTED : noteMore(home, entry, more, own);
  const given = addToBalance(home, agent, count);
  if (given === RACED || given === FULL) takeBack(home, entry, more, own, theirs);
  return given;
}

/**
 * An agent releases more than the `own` permits that it holds. As `giveMore` of the core, with the number of permits that other agents hold or collect:
 * the balance is exact here. Returns the number of permits released for others.
 */
function noteMore(home: LineAddress, entry: EntryAddress, count: i64, own: i64): i32 {
  put64(entry + ENTRY_HELD, wide(0));
  const balance = wide(high32(load64(officeOf(home) + BALANCE)));
  const more = low32(minus(count, own));
  const theirs = clamp(minus(minus(load64(home + CAPACITY), own), balance), more);
  if (theirs > 0) add64(home + RELEASED_FOR_OTHERS, wide(theirs));
  if (more > theirs) add64(home + CAPACITY, wide(more - theirs));
  return theirs;
}

/**
 * Changes how many permits exist: to `value`, or by `value` with `isChange` 1. Results as of `releaseSized`; FULL: the permits or the debt would be more than
 * 2^31 - 1.
 */
export function resizeSized(home: LineAddress, tag: i32, agent: AgentAddress, value: i32, isChange: i32): Release {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const before = load64(home + CAPACITY);
  const after = isChange !== 0 ? plus(before, wide(value)) : wide(value);
  const by = minus(after, before);
  if (after > wide(MOST) || after < wide(-MOST) || by > wide(MOST) || by < wide(-MOST)) return FULL;
  if (by === wide(0)) return IDLE;
  // The capacity first: of two agents that set it at once, each then adds its own difference to the balance.
  if (cas64(home + CAPACITY, before, after) !== before) return RACED;
  const given = addToBalance(home, agent, low32(by));
  if (given === RACED || given === FULL) add64(home + CAPACITY, minus(wide(0), by));
  return given;
}

/** Gives up `count` permits that were acquired: they are held no more, and exist no more. SHUT: the semaphore was freed. */
export function forgetSized(home: LineAddress, tag: i32, entry: EntryAddress, count: i32): typeof TAKEN | typeof SHUT {
  const now = load32(home + BLOCK_TAG);
  if (now !== tag && now !== -tag) return SHUT;
  const own = clamp(get64(entry + ENTRY_HELD), count);
  // The ledger first: with `jsEngine` an agent may die in between, and a lost permit is better than a duplicated one.
  put64(entry + ENTRY_HELD, minus(get64(entry + ENTRY_HELD), wide(own)));
  // Another agent acquired the rest. As with a release for it, its recovery must not give them back.
  if (count > own) add64(home + RELEASED_FOR_OTHERS, wide(count - own));
  add64(home + CAPACITY, wide(-count));
  return TAKEN;
}

/** Whether the waiters were cancelled since the waiter was counted. */
function isCancelled(element: ElementAddress): boolean {
  return high32(load64(officeOf(asLine(get32(element + SEM))) + CANCELLED_AT)) !== get32(element + CANCELS_SEEN);
}

/** Whether a cancel came before the permits of the waiter did. */
function hasLost(element: ElementAddress): boolean {
  const word = load64(officeOf(asLine(get32(element + SEM))) + CANCELLED_AT);
  if (high32(word) === get32(element + CANCELS_SEEN)) return false;
  // 32 bits of each number: the tickets of a wait and of a cancel during that wait are closer than 2^31.
  return low32(minus(plus(get64(element + AT), wide(get32(element + COUNT))), word)) > 0;
}

function isDue(element: ElementAddress, gate: i32): boolean {
  return gate === GRANTED || (gate !== CLOSED && progress(element) >= wide(get32(element + COUNT)));
}

/** Checks once. TAKEN: the permits are credited, the element is free. SHUT: closed, the element is free. WAITING: neither. LATE: cancelled; leave the line. */
export function pollSized(element: ElementAddress, entry: EntryAddress): Poll | typeof LATE {
  const gate = load32(element + GATE);
  const isOver = gate === GRANTED || (gate === QUEUED && isDue(element, gate));
  if (gate === CLOSED || (gate === QUEUED && isShut(element)) || (isOver && isFreed(element))) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  // Of a line that was freed nothing is read. A walker gives its verdict.
  if (isFreed(element)) return WAITING;
  if (!isOver) return isCancelled(element) ? LATE : WAITING;
  if (hasLost(element)) return LATE;
  // In this order for the same reason as in the core's bouncer.ts: until the gate is FREE the element keeps the memory of the line.
  put32(element + GATE, SPENT);
  credit(entry, wide(get32(element + COUNT)));
  store32(element + GATE, FREE);
  return TAKEN;
}

/** LINKED to PARKED. LINKED: done. RACED: look at the wait again. Otherwise the gate that was found. */
export function parkSized(element: ElementAddress, _agent: AgentAddress): Park {
  const gate = asGate(cas32(element + GATE, LINKED, PARKED));
  if (gate !== LINKED || isFreed(element) || !isCancelled(element)) return gate;
  // The cancel may have visited this element before it was PARKED.
  cas32(element + GATE, PARKED, LINKED);
  return RACED;
}

/** What `cancelSized` returns. */
type CancelHolding = Cancel | typeof CANCELLED_HOLDING | typeof LEFT_BEHIND_HOLDING;

/**
 * Cancels a wait: one that its agent gives up, or that has lost against a cancel. TAKEN, ADMITTED_DETACHED: its permits came first. WAITING: no longer
 * counted, and still in line; call `leaveLine`. CANCELLED_HOLDING, LEFT_BEHIND_HOLDING, CANCELLED, SHUT, RACED. Run the walk afterwards.
 */
export function cancelSized(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): CancelHolding {
  guard(agent, asLine(get32(element + SEM)));
  const left = leaveGuarded(agent, element, entry);
  unguard(agent);
  return left;
}

function leaveGuarded(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): CancelHolding {
  // From here on only a verdict can change a LINKED gate: the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  const gate = load32(element + GATE);
  const isGone = isFreed(element);
  if (gate === CLOSED || (isGone && gate !== LINKED)) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  if (isGone) return WAITING;
  if (get32(element + LEAVING) !== 0) return gate === GRANTED ? passOn(agent, element) : WAITING;
  const late = hasLost(element);
  if (isDue(element, gate) && !late) return seize(element, entry, gate, wide(get32(element + COUNT)));
  return uncount(agent, element, entry, gate, late);
}

/** Takes the waiter out of the line with its ticket, without waiting for the walker that brings its permits. The agent then holds `count` permits. */
function seize(element: ElementAddress, entry: EntryAddress, gate: i32, count: i64): Cancel {
  if (gate === LINKED) {
    const found = cas32(element + GATE, LINKED, SPENT);
    if (found === LINKED) {
      // The element is not touched any more: a walker may free it, and another agent may use it.
      credit(entry, count);
      return ADMITTED_DETACHED;
    }
    if (found !== GRANTED) return RACED;
  }
  // Not in a chain: no walker will look for it.
  put32(element + GATE, SPENT);
  credit(entry, count);
  store32(element + GATE, FREE);
  return TAKEN;
}

/** Removes the waiter from the count: see invariant 4. */
function uncount(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, gate: i32, late: boolean): CancelHolding {
  const home = asLine(get32(element + SEM));
  const office = officeOf(home);
  const count = get32(element + COUNT);
  const word = load64(office + BALANCE);
  const lacking = low32(word);
  // Before the count: with `jsEngine` an agent may die in between, and must not be removed from the count a second time.
  put32(element + LEAVING, 1);
  const lacked = lacking < count ? lacking : count;
  if (cas64(office + BALANCE, word, minus(word, wide(lacked))) !== word) {
    put32(element + LEAVING, 0);
    return RACED;
  }
  if (lacked === count) return WAITING;
  if (lacked > 0) announce(home, agent, add64(home + GRANT, wide(lacked)), lacked);
  const back = count - lacked;
  const left = seize(element, entry, gate, wide(back));
  // A close was first: it needs no permits.
  if (left === RACED || (lacked === 0 && !late)) return left;
  put32(entry + ENTRY_BACK, back);
  return left === TAKEN ? CANCELLED_HOLDING : LEFT_BEHIND_HOLDING;
}

/** The waiter is counted no more, but its permits reached it: they are for the waiters that are still counted. */
function passOn(agent: AgentAddress, element: ElementAddress): typeof SHUT | typeof CANCELLED {
  const home = asLine(get32(element + SEM));
  const count = get32(element + COUNT);
  store32(element + GATE, FREE);
  if (load32(home + BLOCK_TAG) !== get32(element + TAG)) return SHUT;
  const from = add64(home + GRANT, wide(count));
  if (count === 1) announce(home, agent, from, 1);
  else beginPost(agent, home, from, load64(home + TICKET), count);
  return CANCELLED;
}

/** As `cancelSized`, or `cancelWatcher`, for a dead agent. Permits that came first are noted in `entry`. */
export function cancelDeadSized(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Cancel {
  const line = asLine(get32(element + SEM));
  if ((get32(line + FLAGS) & FLAG_WATCH) !== 0) return cancelAdmitted(agent, element);
  const left = cancelSized(agent, element, entry);
  if (left === CANCELLED_HOLDING) return CANCELLED;
  return left === LEFT_BEHIND_HOLDING ? CANCELLED_LEFT_BEHIND : left;
}

class SizedPermits implements RecordedOffice {
  /** Less what other agents released for the dead one (RELEASED_FOR_OTHERS). */
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

/** Releases what a ledger entry says that a dead agent holds. Returns the number of permits, or RACED: call again. Run the walk afterwards. */
export function restoreSized(agent: AgentAddress, entry: EntryAddress): i32 {
  return restoreAt(sizedPermits, agent, entry);
}

/**
 * Cancels all waits that are counted now and not due. TAKEN: done, run the walk, which wakes those that sleep. RACED, SHUT. `reason`: for those that read it
 * before another cancel.
 */
export function cancelAllSized(home: LineAddress, tag: i32, agent: AgentAddress, reason: i32): Try {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const office = officeOf(home);
  const word = load64(office + CANCELLED_AT);
  // The duty first: with `jsEngine` an agent may die in between, and a visit without a cancel is harmless.
  put32(agent + AGENT_DUTY_KIND, KIND_SIZED);
  put64(agent + AGENT_DUTY_FROM, wide(0));
  put32(agent + AGENT_DUTY_LEFT, 1);
  put32(agent + AGENT_DUTY_TAG, tag);
  put32(agent + AGENT_DUTY, home);
  store32(office + CANCEL_REASON, reason);
  const isDone = cas64(office + CANCELLED_AT, word, pair(low32(load64(home + GRANT)), high32(word) + 1)) === word;
  return isDone ? TAKEN : RACED;
}

/** A part of the walk after a cancel: visits the next element, and wakes its agent if it sleeps in that line. */
export function walkSized(agent: AgentAddress): Walk {
  // The record may stop naming the block before the last look at it.
  const home = asLine(get32(agent + AGENT_DUTY));
  if (home === 0 || load32(home + BLOCK_TAG) !== get32(agent + AGENT_DUTY_TAG)) return endDuty(agent);
  if (get32(agent + AGENT_DUTY_LEFT) !== 0) {
    // After the cancel: an element that comes to the pool later serves a waiter that sees the cancel.
    put64(agent + AGENT_DUTY_FROM, pair(load32(HEADER_ELEMENT_POOL), 0));
    put32(agent + AGENT_DUTY_LEFT, 0);
    return AGAIN;
  }
  const at = get64(agent + AGENT_DUTY_FROM);
  const pool = low32(at);
  const index = high32(at);
  if (pool === 0) return endDuty(agent);
  const element = asElement(pool + POOL_RECORDS + times32(index, get32(pool + POOL_STRIDE)));
  const isLast = index + 1 >= get32(pool + POOL_COUNT);
  put64(agent + AGENT_DUTY_FROM, isLast ? pair(get32(pool + POOL_NEXT), 0) : pair(pool, index + 1));
  if (asLine(get32(element + SEM)) !== home || get32(element + TAG) !== get32(agent + AGENT_DUTY_TAG)) return AGAIN;
  const woken = rewake(agent, element);
  return woken === 0 ? AGAIN : woken;
}

function endDuty(agent: AgentAddress): typeof IDLE {
  store32(agent + AGENT_DUTY, 0);
  put32(agent + AGENT_DUTY_KIND, 0);
  return IDLE;
}

/** Closes both lines. RACED: closed or freed before. Run the walk. */
export function closeSized(agent: AgentAddress, home: LineAddress, tag: i32): Attempt {
  // The first line last: until it is closed, another close does both again.
  close(agent, asBlock(officeOf(home)), tag);
  return close(agent, asBlock(home), tag);
}

/** TAKEN: `count` permits are free. WAITING: they are not, with `mayWait` 0. Else the agent's spare element, QUEUED. The agent must have a spare. */
export function watchSized(home: LineAddress, tag: i32, agent: AgentAddress, count: i32, mayWait: i32): Enqueue {
  if (load32(home + BLOCK_TAG) !== tag) return SHUT;
  const office = officeOf(home);
  if (mayWait !== 0) store32(office + WATCHED, 1);
  const round = load64(office + GRANT);
  if (high32(load64(office + BALANCE)) >= count) return TAKEN;
  return mayWait === 0 ? WAITING : queue(agent, office, tag, 1, round);
}

/** Checks once. TAKEN: a permit has become free, the element is free. SHUT: closed, the element is free. WAITING: neither. */
export function pollWatcher(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/** Cancels a wait for a free permit. Results as of `cancelAdmitted`. */
export function cancelWatcher(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress): Cancel {
  return cancelAdmitted(agent, element);
}
