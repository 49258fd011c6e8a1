// Steps of a manual-reset event. It has no words of a box office. The word GRANT of its line says whether the event is
// set, and the core's waiters compare it with their tickets.
//
// GRANT, one 64-bit word: how often the event has been set and reset. Even: not set. Odd: set. It never decreases.
//
//   even ▶ odd       [setManualEvent]     the event is set: every ticket that was drawn is due. The step detaches the
//                                         chain of these tickets; the walk that follows admits all waiters
//   odd ▶ even       [resetManualEvent]   waiters that come from now on wait for the next set
//
//   A waiter's ticket is the even value that it found.
//
// INVARIANTS
//
//   1. A ticket is due if and only if the event has been set since it was drawn. A reset does not make it undue. So a
//      set admits all agents that waited at that moment, even if they check only after the reset.
//   2. The waiters between a reset and the next set have one ticket, so they are in one chain, and one walk admits
//      them.
//   3. Lost wake-up: the waiter enters the chain and then loads the word (core: `link`). `setManualEvent` writes the
//      word and then detaches the chain. So either the waiter sees the new word, or the step finds the waiter in the
//      chain. If the step detached first (the mutant "set() detaches the chain before it writes the word"), it could
//      detach an empty chain; the waiter would push its element and load the old word; then the step would write the
//      word. The event would be set while the waiter stays in its chain. The next set that detaches a chain comes after
//      a reset, and detaches the chain of a later ticket.
//   4. A waiter that cancels leaves its element SPENT and detaches its chain: the walk frees the element and puts the
//      others back.
//   5. A set writes the word even if the event is already set. So the writes of its thread before the set are visible
//      to every later wait that finds the event set.

import {
  AGENT_CHAIN,
  BLOCK_TAG,
  GRANT,
  IDLE,
  NEEDS_WALK,
  RACED,
  SHUT,
  TAKEN,
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
  detach,
  get32,
  load32,
  load64,
  low32,
  plus,
  pollAdmitted,
  queue,
  wide,
} from '@sluice/core/kernel';

function isSet(word: i64): boolean {
  return (low32(word) & 1) !== 0;
}

/**
 * Sets the event. Returns IDLE if no waiter is to be woken, NEEDS_WALK if the caller must run the walk, and RACED if it
 * lost a race: call again.
 *
 * @takes The waiters of a manual-reset event: the word `GRANT` + 1 by CAS, and the chain of its ticket. If the event is
 *   already set: only the word, unchanged
 * @leaves `AGENT_CHAIN`
 * @death Walk
 */
export function setManualEvent(event: LineAddress, tag: i32, agent: AgentAddress): Wake | typeof SHUT | typeof RACED {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(event + GRANT);
  // The CAS writes the value that it finds, for invariant 5.
  if (isSet(word)) return cas64(event + GRANT, word, word) === word ? IDLE : RACED;
  if (cas64(event + GRANT, word, plus(word, wide(1))) !== word) return RACED;
  // Lost wake-up, ending side: write GRANT, then detach. Pairs with `link`.
  // The event may be freed from here on: only its address is used.
  detach(agent, bucketOf(event, word));
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Resets the event. Returns TAKEN if it was set, WAITING if it was not set and nothing changed, and RACED if it lost a
 * race: call again.
 *
 * @takes Nothing: the word + 1 by CAS
 * @leaves The word
 * @death Nothing
 */
export function resetManualEvent(
  event: LineAddress,
  tag: i32,
): typeof TAKEN | typeof WAITING | typeof SHUT | typeof RACED {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(event + GRANT);
  if (!isSet(word)) return WAITING;
  return cas64(event + GRANT, word, plus(word, wide(1))) === word ? TAKEN : RACED;
}

/**
 * Draws a ticket, and returns the agent's spare element, QUEUED. The agent must have a spare. Returns TAKEN if the
 * event is set, and WAITING if it is not and `mayWait` is 0.
 *
 * @takes A place: a ticket that is the word
 * @leaves The element: `DRAWN`, `COUNT`, `LINE`, `TAG`, `GATE` QUEUED
 * @death Cancelled
 */
export function enqueueAtManualEvent(
  event: LineAddress,
  tag: i32,
  agent: AgentAddress,
  mayWait: i32,
): Draw | typeof WAITING {
  if (load32(event + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(event + GRANT);
  if (isSet(word)) return TAKEN;
  if (mayWait === 0) return WAITING;
  return queue(agent, event, tag, 1, word);
}

/**
 * Checks once. Returns TAKEN if the event was set, and SHUT if it was freed. In both cases the element is free. Returns
 * WAITING otherwise.
 *
 * @step `pollManualEvent`, `cancelManualWait`
 * @takes Nothing is taken. `cancelManualWait`: the place; in a chain: `GATE` SPENT and that chain
 * @leaves `GATE`; `AGENT_CHAIN`
 * @death The walk frees the element
 */
export function pollManualEvent(element: ElementAddress, _entry: EntryAddress): Poll {
  return pollAdmitted(element);
}

/**
 * Cancels a wait of this agent or of a dead agent: the event needs nothing from the waiter. Run the walk afterwards.
 *
 * Returns TAKEN or ADMITTED_DETACHED if the event was set first, and CANCELLED if the waiter left. Returns
 * CANCELLED_LEFT_BEHIND if the waiter left and its element stays behind, SHUT if the event was freed, and RACED if it
 * lost a race: call again.
 */
export function cancelManualWait(agent: AgentAddress, element: ElementAddress, _entry: EntryAddress): Cancel {
  return cancelAdmitted(agent, element);
}
