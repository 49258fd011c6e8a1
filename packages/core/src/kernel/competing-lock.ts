// A lock word whose admitted waiter still has to compete. An agent that finds the word free takes it, and may overtake
// waiting agents. The waiting agents sleep at the bouncer, the semaphore in the same line. A permit there only allows a
// waiter to compete again.
//
// OFFICE, one 64-bit word
//
//   bits 0-31   owner     0: free · else the agent id of the owner
//   bit 32      NOTICE    HEALTH has a message for the next owner (owner-word.ts)
//   bit 33      UNSEEN    the owner died before it knew that it owned the lock (owner-word.ts)
//   bit 34      WOKEN     one waiter was woken and has neither got the lock nor gone back to sleep: no other waiter is
//                         woken
//   bits 35-63  waiters   counted, and not woken
//
//   free ▶ owner                       [takeWord, takeOrEnqueue]   with or without waiters
//   waiters + 1                        [takeOrEnqueue]             then a ticket at the bouncer
//   owner ▶ free                       [wakeOrFree]                no agent waits, or one is woken already
//   owner ▶ free, waiters - 1, WOKEN   [wakeOrFree]                then one permit at the bouncer
//   free ▶ owner, WOKEN off            [barge]                     the woken waiter gets the lock
//   waiters + 1, WOKEN off             [requeue]                   the woken waiter fails, and sleeps again with a new
//                                                                  ticket
//   waiters - 1, or WOKEN off          [uncount, resign]           a waiter cancels
//
// INVARIANTS
//
//   1. WOKEN is on if and only if one permit was released at the bouncer and its receiver has not yet settled with the
//      box office.
//   2. When waiters > 0, the lock is owned or WOKEN is on. An owner that frees the lock wakes a waiter, unless a woken
//      waiter is awake. A woken waiter takes the lock, or turns WOKEN off, and it turns WOKEN off only while the lock
//      is owned.
//   3. waiters + WOKEN = agents that were counted and since then have neither owned the lock nor cancelled. When
//      waiters is 0, a waiter knows that the permit under way is its own.
//
// NO WAKE-UP IS LOST. A waiter W counts itself in OFFICE only while the lock is owned (`takeOrEnqueue`). The owner R
// frees the lock and takes one waiter off the count in one write (`wakeOrFree`). Both compare and swap the same word.
// If W did not compare it (the mutant "tts: a waiter is counted although the lock became free" of classics), R could
// miss W:
//
//   1. W reads OFFICE: R owns the lock, and no agent waits.
//   2. R frees the lock. It found no waiter, so it releases no permit.
//   3. W adds itself to the count, draws a ticket, and sleeps. The lock is free, and no unlock comes that would wake
//      W.
//
// With the comparison, W finds at step 3 that OFFICE has changed, and takes the lock.
//
// A woken waiter W that loses the race for the lock counts itself again, also only while the lock is owned
// (`parkCompeting`, `requeue`). If it did not check that (the mutant "tts: a woken waiter parks again although the lock
// is free" of classics), the new owner B could miss it:
//
//   1. R frees the lock and wakes W: WOKEN is on. B takes the lock before W.
//   2. W competes: B owns the lock.
//   3. B frees the lock. WOKEN is on, so B wakes no waiter.
//   4. W counts itself, turns WOKEN off, draws a new ticket, and sleeps. The lock is free, and no unlock comes.
//
// With the check, W finds at step 4 that the lock is free, and competes again. If B frees the lock after step 4, it
// finds W in the count and WOKEN off, and wakes a waiter.

import { announce } from './admit.ts';
import { DRAWN, BLOCK_TAG, GATE, GRANT, LEAVING, OFFICE, OWNER, LINE, TICKET } from './layout.ts';
import { afterUncount, beginCancel, draw } from './bouncer.ts';
import { clearHazard, setHazard } from './hazard.ts';
import { hasNotice, markUnseen, ownerOf } from './owner-word.ts';
import {
  ADMITTED_DETACHED,
  asGate,
  FREE,
  CANCELLED_LEFT_BEHIND,
  GRANTED,
  IDLE,
  CANCELLED,
  LINKED,
  MUST_SETTLE,
  MUST_UNCOUNT,
  PARKED,
  QUEUED,
  RACED,
  SHUT,
  SPENT,
  TAKEN,
  WAITING,
  type Cancel,
  type Enqueue,
  type GateState,
  type Poll,
  type Uncount,
  type Wake,
} from './states.ts';
import { isFreed, verdictOf } from './wait.ts';
import {
  add64,
  cas32,
  cas64,
  get32,
  high32,
  load32,
  load64,
  minus,
  pair,
  plus,
  put32,
  put64,
  store32,
  wide,
} from './words.ts';
import type { AgentAddress, ElementAddress, EntryAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

/** A bit of the word's high half. */
const WOKEN: i32 = 4;
const WAITER: i32 = 8;
const WAITERS: i32 = 3; // shift

function waitersOf(office: i64): i32 {
  return high32(office) >>> WAITERS;
}

function isWoken(office: i64): boolean {
  return (high32(office) & WOKEN) !== 0;
}

/** Returns the high half of the word without WOKEN. */
function unwoken(office: i64): i32 {
  return high32(office) & ~WOKEN;
}

/**
 * Takes the lock if it is free and has no notice. Returns WAITING if it is owned, has a notice, or another agent was
 * faster.
 */
export function takeWord(lock: LineAddress, tag: i32, id: i32): Poll {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  // The first attempt is a bare test-and-set: without waiters, a load before it costs 3 ns. Later attempts load first
  // (takeOrEnqueue), because an attempt that fails takes the cache line away from the owner.
  const office = cas64(lock + OFFICE, wide(0), wide(id));
  if (office === wide(0)) return TAKEN;
  if (ownerOf(office) !== 0 || hasNotice(office)) return WAITING;
  return cas64(lock + OFFICE, office, plus(office, wide(id))) === office ? TAKEN : WAITING;
}

/**
 * Takes the lock if it is free, even with a notice. If the lock is owned, it counts the agent, draws a ticket, and
 * returns the agent's spare element, QUEUED. The agent must have a spare. Returns WAITING if the lock is owned and
 * `mayWait` is 0, and RACED if it lost a race: call again.
 */
export function takeOrEnqueue(lock: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Enqueue {
  if (load32(lock + BLOCK_TAG) !== tag) return SHUT;
  const office = load64(lock + OFFICE);
  if (ownerOf(office) === 0) {
    return cas64(lock + OFFICE, office, plus(office, wide(get32(agent + OWNER)))) === office ? TAKEN : RACED;
  }
  if (mayWait === 0) return WAITING;
  // Lost wake-up, waiter side: count the waiter while the lock is owned. Pairs with `wakeOrFree`: both compare and swap
  // the same word, so the owner finds the waiter counted, or this step finds the lock free.
  if (cas64(lock + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;
  return draw(lock, tag, agent);
}

/**
 * Frees the lock for its owner, which has read `office`, and wakes one waiter, unless a waiter is already awake.
 * `notice` is NOTICE if HEALTH has a message for the next owner, and otherwise 0. Returns RACED if it lost a race: call
 * again, and NEEDS_WALK if the caller must run the walk.
 */
export function wakeOrFree(lock: LineAddress, agent: AgentAddress, office: i64, notice: i32): Wake | typeof RACED {
  const waiters = waitersOf(office);
  if (waiters === 0 || isWoken(office)) {
    const rest = (waiters << WAITERS) | (high32(office) & WOKEN) | notice;
    return cas64(lock + OFFICE, office, pair(0, rest)) === office ? IDLE : RACED;
  }
  // Lost wake-up, owner side: takes one waiter off the count, then releases its permit. Pairs with `takeOrEnqueue`,
  // which counts a waiter before it draws the ticket.
  const woken = ((waiters - 1) << WAITERS) | WOKEN | notice;
  if (cas64(lock + OFFICE, office, pair(0, woken)) !== office) return RACED;
  return announce(lock, agent, add64(lock + GRANT, wide(1)), 1);
}

/**
 * Checks once. Returns TAKEN if the agent owns the lock, and SHUT if the lock is closed or freed. In both cases the
 * element is free. Returns WAITING otherwise.
 */
export function pollCompeting(element: ElementAddress): Poll {
  const verdict = verdictOf(element);
  return verdict === TAKEN ? compete(element) : verdict;
}

/** Competes after a permit has arrived. Returns WAITING if another agent has the lock. */
function compete(element: ElementAddress): Poll {
  const freed = isFreed(element);
  if (!freed && barge(asLine(get32(element + LINE)), get32(element + OWNER)) !== TAKEN) return WAITING;
  put32(element + GATE, FREE);
  return freed ? SHUT : TAKEN;
}

/** Lets the woken waiter, agent `id`, compete. Returns WAITING if the lock is owned, or if the word changed. */
function barge(lock: LineAddress, id: i32): typeof TAKEN | typeof WAITING {
  const office = load64(lock + OFFICE);
  if (ownerOf(office) !== 0) return WAITING;
  return cas64(lock + OFFICE, office, pair(id, unwoken(office))) === office ? TAKEN : WAITING;
}

/**
 * LINKED to PARKED. Any other result is the gate that was found instead. QUEUED means that the waiter was admitted, but
 * other agents were faster, and it has a new ticket: link it again.
 */
export function parkCompeting(element: ElementAddress): GateState {
  const gate = asGate(cas32(element + GATE, LINKED, PARKED));
  return gate === GRANTED && !isFreed(element) ? requeue(element) : gate;
}

/**
 * Sends the woken waiter that lost back to sleep with a new ticket, and returns QUEUED: link it. Returns GRANTED if the
 * lock is free after all, or if the word changed.
 */
function requeue(element: ElementAddress): typeof QUEUED | typeof GRANTED {
  const lock = asLine(get32(element + LINE));
  const office = load64(lock + OFFICE);
  // Requeue only while the lock has an owner: its unlock sees this waiter in the count, and sees that WOKEN is cleared.
  if (ownerOf(office) === 0) return GRANTED;
  if (cas64(lock + OFFICE, office, pair(ownerOf(office), unwoken(office) + WAITER)) !== office) return GRANTED;
  put64(element + DRAWN, add64(lock + TICKET, wide(1)));
  put32(element + LEAVING, 0);
  store32(element + GATE, QUEUED);
  return QUEUED;
}

/**
 * The operations on a lock word with competing waiters that a cancellation needs. The functions become part of the
 * kind's steps.
 */
export interface CompetingOffice {
  /** Checks once, as the kind's step does. */
  poll(element: ElementAddress, entry: EntryAddress): Poll;
  /** Whether the waiter was admitted and competes. Its element is then known to no walker. */
  isOut(element: ElementAddress): boolean;
  /**
   * Removes one waiter from the count and returns CANCELLED. Returns TAKEN if the permit under way is this waiter's,
   * and RACED if it lost a race: call again.
   */
  uncount(lock: LineAddress, agent: AgentAddress): Uncount;
  /**
   * Cancels the wait of the admitted waiter, agent `id`. Returns TAKEN if the lock was free: the waiter takes it,
   * because no other waiter would be woken for it. Returns CANCELLED if the waiter left, and RACED if it lost a race:
   * call again.
   */
  resign(lock: LineAddress, id: i32, agent: AgentAddress, entry: EntryAddress): Uncount;
  /** Records that a dead agent took the lock and did not know it. */
  noteUnseen(lock: LineAddress, entry: EntryAddress): void;
}

/**
 * Cancels a wait at the lock. Results as for `cancelAt` (bouncer.ts). CANCELLED_LEFT_BEHIND means that the waiter left
 * and its element stays behind. `dead` is 1 for a dead agent, which has not seen that it took the lock.
 */
export function cancelCompetingAt<Office extends CompetingOffice>(
  office: Office,
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  dead: i32,
): Cancel {
  const lock = asLine(get32(element + LINE));
  setHazard(agent, lock);
  const left = cancelUnderHazard(office, agent, element, entry);
  if (dead !== 0 && (left === TAKEN || left === ADMITTED_DETACHED)) office.noteUnseen(lock, entry);
  clearHazard(agent);
  return left;
}

function cancelUnderHazard<Office extends CompetingOffice>(
  office: Office,
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
): Cancel {
  // From here on only a verdict can change a LINKED gate, because the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  // Another primitive may by now use the block of a freed line.
  if (isFreed(element)) return office.poll(element, entry);
  // A waiter that is out has not begun to leave: it checks this first.
  if (office.isOut(element)) return competeOnce(office, agent, element, entry, GRANTED);
  const gate = load32(element + GATE);
  const begun = beginCancel(agent, element, gate);
  const left =
    begun === MUST_UNCOUNT ? afterUncount(element, office.uncount(asLine(get32(element + LINE)), agent)) : begun;
  return left === MUST_SETTLE ? competeOnce(office, agent, element, entry, gate) : left;
}

/**
 * Lets a waiter with a promised permit compete once, without waiting for its walker. Returns CANCELLED or
 * CANCELLED_LEFT_BEHIND if another agent has the lock.
 */
function competeOnce<Office extends CompetingOffice>(
  office: Office,
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  gate: i32,
): Cancel {
  const turn = office.resign(asLine(get32(element + LINE)), get32(element + OWNER), agent, entry);
  if (turn === RACED) return RACED;
  if (gate === LINKED && cas32(element + GATE, LINKED, SPENT) === LINKED)
    return turn === TAKEN ? ADMITTED_DETACHED : CANCELLED_LEFT_BEHIND;
  put32(element + GATE, FREE);
  return turn;
}

/** A lock whose woken waiter goes back to sleep in line. */
class WokenOffice implements CompetingOffice {
  poll(element: ElementAddress, _entry: EntryAddress): Poll {
    return pollCompeting(element);
  }

  isOut(_element: ElementAddress): boolean {
    return false;
  }

  uncount(lock: LineAddress, _agent: AgentAddress): Uncount {
    const office = load64(lock + OFFICE);
    if (waitersOf(office) === 0) return TAKEN;
    return cas64(lock + OFFICE, office, minus(office, pair(0, WAITER))) === office ? CANCELLED : RACED;
  }

  resign(lock: LineAddress, id: i32, _agent: AgentAddress, _entry: EntryAddress): Uncount {
    const office = load64(lock + OFFICE);
    if (ownerOf(office) === 0) return barge(lock, id) === TAKEN ? TAKEN : RACED;
    return cas64(lock + OFFICE, office, pair(ownerOf(office), unwoken(office))) === office ? CANCELLED : RACED;
  }

  noteUnseen(lock: LineAddress, _entry: EntryAddress): void {
    markUnseen(lock);
  }
}

const wokenOffice = /* @__PURE__ */ new WokenOffice();

/** Cancels a wait at a lock whose woken waiter goes back to sleep in line. */
export function cancelCompeting(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: i32): Cancel {
  return cancelCompetingAt(wokenOffice, agent, element, entry, dead);
}
