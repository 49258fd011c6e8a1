// Steps of a countdown latch. A latch has no words of a box office. The word GRANT of its line decides, and the core's
// waiters compare it with their tickets.
//
// GRANT, one 64-bit word
//
//   bits 0-31   -count    0: the count is 0, a wait returns at once · else the outstanding count, negated
//   bits 32-63  round     how many rounds have ended; it wraps
//
//   round + 1 is (round + 1) << 32, the value at which the round ends. A waiter's ticket is that value - 1.
//
//   count 0 ▶ n           [addToLatch]    a new round begins: the word becomes its end - n
//   count ▶ count + n     [addToLatch]    the word decreases, but stays above the end of the round before
//   count ▶ count - n     [countDown]     the word increases by n
//   count ▶ 0             [countDown]     the word is the end of the round: every ticket of the round is due. The step
//                                         detaches the chain of these tickets; the walk that follows admits all waiters
//                                         of the round
//
// INVARIANTS
//
//   1. A ticket of a round is due if and only if the round has ended: `progress` is 1 or more. No later step makes it
//      undue.
//   2. The waiters of one round have one ticket, so they are in one chain, and one walk admits them. The latch does not
//      count them.
//   3. Lost wake-up: the waiter enters the chain and then loads the word (core: `link`). The step that ends the round
//      writes the word and then detaches the chain (`countDown`). So one of the two sees the other. If that step
//      detached first (the mutant "the last done() detaches the chain before it writes the word"), it could detach an
//      empty chain; the waiter would push its element and load the open round; then the step would write the word. No
//      later step detaches the chain of that ticket.
//   4. A waiter that cancels leaves its element SPENT and detaches its chain: the walk frees the element and puts the
//      others back.
//   5. A claim is a number in the ledger entry of one agent, with its round. It changes the count only if that agent
//      dies.

import {
  AGENT_CHAIN,
  asLine,
  BLOCK_TAG,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_TAG,
  GRANT,
  IDLE,
  NEEDS_WALK,
  OVERFLOW,
  RACED,
  SHUT,
  TAKEN,
  TOO_FEW,
  WAITING,
  type AgentAddress,
  type Cancel,
  type Draw,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
  type Wake,
} from '@sluice/core/format';
import {
  bucketOf,
  cancelAdmitted,
  cas64,
  clamp,
  detach,
  get32,
  get64,
  setHazard,
  high32,
  load32,
  load64,
  low32,
  minus,
  pair,
  plus,
  pollAdmitted,
  put32,
  put64,
  queue,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import { CLAIM_ROUND, MAX_COUNT } from './layout.ts';

function countOf(word: i64): i32 {
  return 0 - low32(word);
}

/**
 * Increases the count. Returns OVERFLOW if it would exceed its maximum, and RACED if it lost a race: call again.
 *
 * @takes Nothing: the word `GRANT` of a countdown latch, by CAS
 * @leaves The word
 * @death Nothing: the count stays
 */
export function addToLatch(
  latch: LineAddress,
  tag: i32,
  n: i32,
): typeof SHUT | typeof OVERFLOW | typeof IDLE | typeof RACED {
  if (load32(latch + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(latch + GRANT);
  const count = countOf(word);
  if (n > MAX_COUNT - count) return OVERFLOW;
  if (count === 0) return cas64(latch + GRANT, word, plus(word, pair(0 - n, 0))) === word ? IDLE : RACED;
  return cas64(latch + GRANT, word, minus(word, wide(n))) === word ? IDLE : RACED;
}

/**
 * Decreases the count. Returns TOO_FEW if it is less than `n`, RACED if it lost a race: call again, and NEEDS_WALK if
 * it is now 0: run the walk.
 *
 * @takes n of the count: the word + n by CAS; at count 0 also the chain of the round's ticket
 * @leaves `ENTRY_HELD` minus n of the agent's claims first, unchanged if the CAS lost; `AGENT_CHAIN`
 * @death Walk
 */
export function countDown(
  latch: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  n: i32,
): Wake | typeof SHUT | typeof TOO_FEW | typeof RACED {
  if (load32(latch + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(latch + GRANT);
  if (n > countOf(word)) return TOO_FEW;
  const held = get64(entry + ENTRY_HELD);
  // Write this before the count: with `jsEngine` an agent may die in between, and its recovery must not count down
  // twice.
  pay(entry, high32(word), wide(n));
  const next = plus(word, wide(n));
  if (cas64(latch + GRANT, word, next) !== word) {
    put64(entry + ENTRY_HELD, held);
    return RACED;
  }
  if (countOf(next) !== 0) return IDLE;
  // Lost wake-up, ending side: write GRANT, then detach. Pairs with `link`.
  // The latch may be freed from here on: only its address is used.
  detach(agent, bucketOf(latch, minus(next, wide(1))));
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/** Subtracts `n` from the claims of that round. Claims of an earlier round are over. */
function pay(entry: EntryAddress, round: i32, n: i64): void {
  const left = minus(get64(entry + ENTRY_HELD), n);
  if (get32(entry + CLAIM_ROUND) !== round || left < wide(0)) put64(entry + ENTRY_HELD, wide(0));
  else put64(entry + ENTRY_HELD, left);
}

/**
 * Records that this agent will count down `n` of the count. Returns TOO_FEW if its claims would exceed the count.
 *
 * @takes The duty to count down n
 * @leaves `CLAIM_ROUND`, then `ENTRY_HELD` + n
 * @death `restoreClaims`: counted down
 */
export function claimAtLatch(
  latch: LineAddress,
  tag: i32,
  entry: EntryAddress,
  n: i32,
): typeof SHUT | typeof TOO_FEW | typeof IDLE {
  if (load32(latch + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(latch + GRANT);
  pay(entry, high32(word), wide(0));
  const claims = plus(get64(entry + ENTRY_HELD), wide(n));
  if (claims > wide(countOf(word))) return TOO_FEW;
  put32(entry + CLAIM_ROUND, high32(word));
  put64(entry + ENTRY_HELD, claims);
  return IDLE;
}

/**
 * Draws a ticket for the current round, and returns the agent's spare element, QUEUED. The agent must have a spare.
 * Returns TAKEN if the count is 0, and WAITING if it is not and `mayWait` is 0.
 *
 * @takes A place: a ticket that follows from the word
 * @leaves The element: `DRAWN`, `COUNT`, `LINE`, `TAG`, `GATE` QUEUED
 * @death Cancelled
 */
export function enqueueAtLatch(latch: LineAddress, tag: i32, agent: AgentAddress, mayWait: i32): Draw | typeof WAITING {
  if (load32(latch + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(latch + GRANT);
  const count = countOf(word);
  if (count === 0) return TAKEN;
  if (mayWait === 0) return WAITING;
  return queue(agent, latch, tag, 1, plus(word, wide(count - 1)));
}

/**
 * Checks once. Returns TAKEN if the round has ended, and SHUT if the latch was freed. In both cases the element is
 * free. Returns WAITING otherwise.
 *
 * @step `pollLatch`, `cancelLatchWait`
 * @takes Nothing is taken. `cancelLatchWait`: the place; in a chain: `GATE` SPENT, and that chain if the element is
 *   alone in it
 * @leaves `GATE`; `AGENT_CHAIN`
 * @death The walk frees the element. If other elements are in its chain, it stays with its owner until the next walk of
 *   that chain or until an agent gathers
 */
export function pollLatch(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/**
 * Cancels a wait of this agent or of a dead agent: the round needs nothing from the waiter. Run the walk afterwards.
 *
 * Returns TAKEN or ADMITTED_DETACHED if the round ended first, and CANCELLED if the waiter left. Returns
 * CANCELLED_LEFT_BEHIND if the waiter left and its element stays behind, SHUT if the latch was freed, and RACED if it
 * lost a race: call again.
 */
export function cancelLatchWait(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress): Cancel {
  return cancelAdmitted(agent, element);
}

/**
 * Counts down the claims of a dead agent in the current round. Returns their number, or RACED if it lost a race: call
 * again. Run the walk afterwards.
 *
 * @takes As `countDown`, for the claims that a dead agent has in the current round
 * @leaves As `countDown`
 * @death Called again
 */
export function restoreClaims(agent: AgentAddress, entry: EntryAddress): i32 {
  const latch = asLine(get32(entry + ENTRY_LINE));
  setHazard(agent, latch);
  const word = load64(latch + GRANT);
  pay(entry, high32(word), wide(0));
  const owed = clamp(get64(entry + ENTRY_HELD), countOf(word));
  const left = owed === 0 ? IDLE : countDown(latch, get32(entry + ENTRY_TAG), agent, entry, owed);
  clearHazard(agent);
  if (left === RACED) return RACED;
  return left === SHUT ? 0 : owed;
}
