// Steps of a once, and of a lazy, which is a once with a value. As at a manual-reset event, the word GRANT of the line
// decides, and the core's waiters compare it with their tickets. `pollManualEvent` and `cancelManualWait` end the waits
// at both primitives.
//
// GRANT, one 64-bit word
//
//   bits 0-31   state      ONCE_IDLE · the id of the agent that runs an initialiser · ~tag, which is less than -1: done
//                          · ONCE_CLOSED
//   bits 32-63  attempts   how many attempts have ended; it wraps
//
//   A waiter's ticket is the last value that the word could have in its attempt, all ones in the low half. So it is due
//   when the attempt has ended.
//
//   idle ▶ id                          [claimOnce]      an attempt begins
//   id ▶ done, attempts + 1            [endOnce]        the initialiser has returned
//   id ▶ idle, attempts + 1            [endOnce]        it has thrown
//                                      [restoreOnce]    its agent has died
//   idle or id ▶ closed, attempts + 1  [closeOnce]      no attempt begins any more. One that runs goes on, and its end
//                                                       changes nothing
//   done ▶ closed, attempts + 1        [closeOnce]      the once is about to be freed
//
// A step that ends an attempt detaches the chain of its tickets. The walk that follows admits all waiters. If the
// attempt failed, they check the word again, and one of them begins the next attempt.
//
// INVARIANTS
//
//   1. At most one agent runs an attempt: it has written its id over ONCE_IDLE, and only its own end, its recovery and
//      a close remove the id.
//   2. The word is done only after the initialiser has returned. A thread that reads this state, in the whole word or
//      in its low half, sees the writes of the initialiser. ~tag belongs to this creation. So one load tells a thread
//      that this once is done, and not an earlier one in the same block.
//   3. A ticket of an attempt is due if and only if the attempt has ended. No later step makes it undue.
//   4. Lost wake-up: the waiter enters the chain and then loads the word (core: `link`). A step that ends an attempt
//      writes the word and then detaches the chain (`endOnce`, `restoreOnce`, `closeOnce`). So either the waiter sees
//      the new word, or the step finds the waiter in the chain. If the step detached first (the mutant "the end of an
//      attempt detaches the chain before it writes the word"), it could detach an empty chain; the waiter would push
//      its element and load the old word; then the step would write the word. No later attempt has the ticket of that
//      chain, so the waiter would sleep on.
//   5. ENTRY_HELD of the agent is 1 before the word has the agent's id. It becomes 0 only when an end follows. So the
//      recovery of a dead agent finds the entry, and an agent that has seen the end and frees the once finds no holder.

import {
  AGENT_CHAIN,
  asLine,
  BLOCK_TAG,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_TAG,
  FOREIGN,
  GRANT,
  IDLE,
  NEEDS_WALK,
  OWNER,
  RACED,
  SHUT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type Draw,
  type EntryAddress,
  type LineAddress,
  type Wake,
} from '@sluice/core/format';
import {
  bucketOf,
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
  pair,
  plus,
  put64,
  queue,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import { ONCE_CLOSED, ONCE_IDLE } from './layout.ts';
import { DONE, doneState, OWN, REFUSED } from './outcomes.ts';

/**
 * Ends the attempt of `word`, and writes that state. Returns false, with nothing changed, if it lost a race. Another
 * agent may free the once from then on, so the step uses only its address.
 */
function endAttempt(once: LineAddress, agent: AgentAddress, word: i64, state: i32): boolean {
  if (cas64(once + GRANT, word, pair(state, high32(plus(word, pair(0, 1))))) !== word) return false;
  // Lost wake-up, ending side: write GRANT, then detach. Pairs with `link`.
  detach(agent, bucketOf(once, pair(-1, high32(word))));
  return true;
}

/**
 * Begins an attempt, and returns TAKEN. Returns DONE if the once is done, and REFUSED if it is closed. Returns OWN if
 * an attempt of this agent runs, WAITING if an attempt of another agent runs, and RACED if it lost a race: call again.
 *
 * @takes An attempt: its id into the word `GRANT` of a once, by CAS
 * @leaves `ENTRY_HELD` 1 first, 0 again when the CAS lost
 * @death `restoreOnce`
 */
export function claimOnce(
  once: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
): typeof TAKEN | typeof DONE | typeof REFUSED | typeof OWN | typeof WAITING | typeof RACED | typeof SHUT {
  if (load32(once + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(once + GRANT);
  const state = low32(word);
  if (state === doneState(tag)) return DONE;
  if (state === ONCE_CLOSED) return REFUSED;
  const id = get32(agent + OWNER);
  if (state === id) return OWN;
  if (state !== ONCE_IDLE) return WAITING;
  // Write this before the word: the recovery of an agent whose id is in the word must find the entry, even if it has
  // not loaded the kind.
  put64(entry + ENTRY_HELD, wide(1));
  if (cas64(once + GRANT, word, plus(word, wide(id))) === word) return TAKEN;
  put64(entry + ENTRY_HELD, wide(0));
  return RACED;
}

/**
 * Ends the agent's attempt; the once is done if `succeeded` is 1. Returns IDLE or NEEDS_WALK. Returns FOREIGN, with
 * nothing changed, if the once was closed meanwhile.
 *
 * @takes The end of its attempt: the state and attempts + 1 by CAS, and the chain of its ticket. Nothing if the once
 *   was closed
 * @leaves `ENTRY_HELD` 0 first, under the hazard word; `AGENT_CHAIN`
 * @death Walk
 */
export function endOnce(
  once: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  succeeded: i32,
): Wake | typeof FOREIGN | typeof SHUT {
  if (load32(once + BLOCK_TAG) !== tag) return SHUT;
  // Guard before clearing the entry, which keeps the once from being freed: after a close another agent may free it
  // before this step has read the word.
  setHazard(agent, once);
  const ended = endUnderHazard(once, tag, agent, entry, succeeded);
  clearHazard(agent);
  return ended;
}

function endUnderHazard(
  once: LineAddress,
  tag: i32,
  agent: AgentAddress,
  entry: EntryAddress,
  succeeded: i32,
): Wake | typeof FOREIGN {
  // Write this before the word: an agent that sees the end may free the once, and must find no holder.
  put64(entry + ENTRY_HELD, wide(0));
  const word = load64(once + GRANT);
  if (low32(word) !== get32(agent + OWNER)) return FOREIGN;
  // Only a close can happen in between.
  if (!endAttempt(once, agent, word, succeeded === 0 ? ONCE_IDLE : doneState(tag))) return FOREIGN;
  return get32(agent + AGENT_CHAIN) === 0 ? IDLE : NEEDS_WALK;
}

/**
 * Closes the once. A done once is closed only if `andDone` is 1. Returns TAKEN if it is closed: run the walk. Returns
 * WAITING if it is done, or was closed before, and RACED if it lost a race: call again.
 *
 * @takes The end of the attempt that runs or would be next, as `endOnce`
 * @leaves `AGENT_CHAIN`
 * @death Walk: the once is closed
 */
export function closeOnce(
  once: LineAddress,
  tag: i32,
  agent: AgentAddress,
  andDone: i32,
): typeof TAKEN | typeof WAITING | typeof RACED | typeof SHUT {
  if (load32(once + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(once + GRANT);
  const state = low32(word);
  if (state === ONCE_CLOSED || (state === doneState(tag) && andDone === 0)) return WAITING;
  return endAttempt(once, agent, word, ONCE_CLOSED) ? TAKEN : RACED;
}

/**
 * Draws a ticket of the current attempt, or of the next one if none runs. Returns the agent's spare element, QUEUED.
 * The agent must have a spare.
 *
 * Returns TAKEN if the once is done or closed, or if no attempt runs and the caller does not wait for the end of all
 * attempts (`toEnd` 0). Otherwise returns WAITING if `mayWait` is 0.
 *
 * @takes A place: a ticket that follows from the word
 * @leaves The element: `DRAWN`, `COUNT`, `LINE`, `TAG`, `GATE` QUEUED
 * @death Cancelled, as at a manual-reset event
 */
export function enqueueAtOnce(
  once: LineAddress,
  tag: i32,
  agent: AgentAddress,
  mayWait: i32,
  toEnd: i32,
): Draw | typeof WAITING {
  if (load32(once + BLOCK_TAG) !== tag) return SHUT;
  const word = load64(once + GRANT);
  const state = low32(word);
  if (state < ONCE_IDLE || (state === ONCE_IDLE && toEnd === 0)) return TAKEN;
  if (mayWait === 0) return WAITING;
  return queue(agent, once, tag, 1, pair(-1, high32(word)));
}

/**
 * Ends the attempt of a dead agent, so that the next one may begin. Returns the number in the entry. Run the walk
 * afterwards.
 *
 * @takes The attempt of a dead agent, by CAS, if the word has its id. If the CAS lost, the once was closed
 * @leaves `ENTRY_HELD` 0 first; `AGENT_CHAIN`
 * @death Called again; walk
 */
export function restoreOnce(agent: AgentAddress, entry: EntryAddress): i32 {
  const once = asLine(get32(entry + ENTRY_LINE));
  setHazard(agent, once);
  const held = clamp(get64(entry + ENTRY_HELD), 1);
  put64(entry + ENTRY_HELD, wide(0));
  const word = load64(once + GRANT);
  // This can lose a race only to a close.
  if (load32(once + BLOCK_TAG) === get32(entry + ENTRY_TAG) && low32(word) === get32(agent + OWNER))
    endAttempt(once, agent, word, ONCE_IDLE);
  clearHazard(agent);
  return held;
}
