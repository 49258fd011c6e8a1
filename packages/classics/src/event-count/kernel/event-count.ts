// Steps of an event count and of a sequencer. Neither has words of a box office.
//
// GRANT of an event count, one 64-bit word: the count. It never decreases. The core's waiters compare it with their
// tickets.
//
//   count ▶ count + n   [advanceEventCount]   the values up to count + n are due. The step takes over the chains of
//                                             their tickets; the walk that follows admits the waiters that are due, and
//                                             puts the others back
//
//   A waiter's ticket is its value - 1.
//
// TICKET of a sequencer, one 64-bit word: the next ticket.
//
// INVARIANTS
//
//   1. A ticket is due if and only if the count has reached its value. No later step makes it undue.
//   2. The agent that advances the count decides which waiters it wakes. A waiter of a later value in the same chain
//      sleeps on.
//   3. All waiters of a value are in one chain, so one walk admits them.
//   4. Lost wake-up: the waiter enters the chain and then loads the count (core: `link`). `advanceEventCount` writes
//      the count and then detaches the chain. So one of the two sees the other. If it detached first (the mutant
//      "advance() detaches the chain before it writes the count"), it could detach an empty chain; the waiter would
//      push its element and load the old count; then the step would write the count. The waiter would sleep although
//      its value is reached.
//   5. A waiter that cancels leaves its element SPENT. The walk of its chain frees the element.

import {
  AGENT_CHAIN,
  BLOCK_TAG,
  GRANT,
  IDLE,
  NEEDS_WALK,
  OVERFLOW,
  RACED,
  SHUT,
  TAKEN,
  TICKET,
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
  add64,
  beginPost,
  bucketOf,
  cancelAdmitted,
  cas64,
  detach,
  fromNumber,
  get32,
  load32,
  load64,
  minus,
  pair,
  plus,
  pollAdmitted,
  queue,
  toNumber,
  wide,
} from '@sluice/core/kernel';

/** The largest count, 2^53 - 1: a number of JavaScript holds it exactly. */
function mostCount(): i64 {
  return pair(-1, 0x1fffff);
}

/**
 * Adds `n` to the count. Returns IDLE if no waiter is to be woken, and NEEDS_WALK if the caller must run the walk.
 * Returns OVERFLOW if the count would pass its maximum, and RACED if it lost a race: call again.
 *
 * @takes The waiters of an event count: the word `GRANT` + n by CAS, then the chain of one ticket (n = 1), or a range
 *   of keys
 * @leaves `AGENT_CHAIN`; the range: `AGENT_POST_FROM`, `AGENT_POST_KEYS`, `AGENT_POST_LINE`
 * @death Walk
 */
export function advanceEventCount(
  event: LineAddress,
  tag: i32,
  agent: AgentAddress,
  n: i32,
): Wake | typeof SHUT | typeof OVERFLOW | typeof RACED {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  const count = load64(event + GRANT);
  if (minus(mostCount(), count) < wide(n)) return OVERFLOW;
  if (cas64(event + GRANT, count, plus(count, wide(n))) !== count) return RACED;
  // Lost wake-up, ending side: write GRANT, then detach. Pairs with `link`.
  // The event count may be freed from here on: only its address is used.
  if (n !== 1) {
    beginPost(agent, event, count, plus(count, wide(n)), n);
    return NEEDS_WALK;
  }
  detach(agent, bucketOf(event, count));
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Draws a place for a wait until the count is `value`, and returns the agent's spare element, QUEUED. The agent must
 * have a spare. Returns TAKEN if the count has reached the value, and WAITING if it has not and `mayWait` is 0.
 *
 * @takes A place: a ticket that is the value - 1
 * @leaves The element: `DRAWN`, `COUNT`, `LINE`, `TAG`, `GATE` QUEUED
 * @death Cancelled
 */
export function enqueueAtEventCount(
  event: LineAddress,
  tag: i32,
  agent: AgentAddress,
  mayWait: i32,
  value: f64,
): Draw | typeof WAITING {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  const due = fromNumber(value);
  if (load64(event + GRANT) >= due) return TAKEN;
  if (mayWait === 0) return WAITING;
  return queue(agent, event, tag, 1, minus(due, wide(1)));
}

/**
 * Checks once. Returns TAKEN if the count has reached the value, and SHUT if the event count was freed. In both cases
 * the element is free. Returns WAITING otherwise.
 *
 * @step `pollEventCount`, `cancelEventCountWait`
 * @takes Nothing is taken. `cancelEventCountWait`: the place; in a chain: `GATE` SPENT, and that chain if the element
 *   is
 *   alone in it
 * @leaves `GATE`; `AGENT_CHAIN`
 * @death The walk frees the element
 */
export function pollEventCount(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/**
 * Cancels a wait of this agent or of a dead agent: the count needs nothing from the waiter. Run the walk afterwards.
 *
 * Returns TAKEN or ADMITTED_DETACHED if the value was reached first, and CANCELLED if the waiter left. Returns
 * CANCELLED_LEFT_BEHIND if the waiter left and its element stays behind, SHUT if the event count was freed, and RACED
 * if it lost a race: call again.
 */
export function cancelEventCountWait(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress): Cancel {
  return cancelAdmitted(agent, element);
}

/**
 * Draws the next ticket of a sequencer. Returns SHUT if the sequencer was freed.
 *
 * @takes A ticket: the word `TICKET` of a sequencer + 1
 * @leaves The word
 * @death Nothing: no agent gets that ticket again
 */
export function drawAtSequencer(sequencer: LineAddress, tag: i32): f64 {
  if (load32(sequencer + BLOCK_TAG) !== tag) return SHUT;
  return toNumber(add64(sequencer + TICKET, wide(1)));
}
