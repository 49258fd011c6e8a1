// Steps of a wait at a barrier. The word, its changes and the invariants are in barrier.ts.

import {
  ADMITTED_DETACHED,
  asLine,
  DRAWN,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  CLOSED,
  FREE,
  GATE,
  GRANT,
  GRANTED,
  LEAVING,
  LINKED,
  PARKED,
  QUEUED,
  RACED,
  LINE,
  SHUT,
  SPENT,
  TAKEN,
  WAITING,
  type AgentAddress,
  type Cancel,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
  type Poll,
} from '@sluice/core/format';
import {
  bucketOf,
  cas32,
  detach,
  get32,
  get64,
  setHazard,
  high32,
  isAlone,
  isFreed,
  isShut,
  load32,
  load64,
  low32,
  minus,
  plus,
  progress,
  put32,
  store32,
  clearHazard,
  wide,
} from '@sluice/core/kernel';
import { arrivedIn, breakGeneration, isActing, isBroken, partiesOf } from './barrier.ts';
import { OUTCOME, RESETS, RESETS_SEEN, ROLE } from './layout.ts';
import { BROKE, BYSTANDER, DIED, GAVE_UP, RETURN, TRIPPED } from './outcomes.ts';

/**
 * Returns the outcome of that waiter's generation. Call it only after the generation has ended, and before the barrier
 * is freed.
 */
function outcomeOf(element: ElementAddress): i32 {
  const role = get32(element + ROLE);
  if (role === BYSTANDER) return RETURN;
  const barrier = asLine(get32(element + LINE));
  const next = high32(plus(get64(element + DRAWN), wide(1)));
  // Read the word first: `mendBarrier` writes RESETS before the word.
  const word = load64(barrier + GRANT);
  const resets = load64(barrier + RESETS);
  if (high32(word) === next && isBroken(low32(word))) return BROKE;
  const seen = get32(element + RESETS_SEEN);
  if (low32(resets) === seen) return TRIPPED | role;
  return low32(minus(resets, wide(1))) === seen && high32(resets) !== next ? TRIPPED | role : BROKE;
}

/** Records an outcome. If `entry` is 0, the agent is dead and reads no outcome. */
function noteOutcome(entry: EntryAddress, outcome: i32): void {
  if (entry !== 0) put32(entry + OUTCOME, outcome);
}

/**
 * Checks once. Returns TAKEN if the generation has ended: OUTCOME tells how. Returns SHUT if the barrier was freed. In
 * both cases the element is free. Returns WAITING otherwise.
 *
 * @takes Nothing is taken
 * @leaves `OUTCOME`, `GATE` FREE
 * @death The element goes to the pool
 */
export function pollBarrier(element: ElementAddress, entry: EntryAddress): Poll {
  const gate = load32(element + GATE);
  const isOver = gate === GRANTED || (gate === QUEUED && progress(element) >= wide(1));
  const isGone = gate === CLOSED || (gate === QUEUED && isShut(element)) || (isOver && isFreed(element));
  if (!isOver && !isGone) return WAITING;
  if (!isGone) noteOutcome(entry, outcomeOf(element));
  store32(element + GATE, FREE);
  return isGone ? SHUT : TAKEN;
}

/**
 * Returns how many parties are missing before the generation of that waiter ends, or 0 if it has ended. While an action
 * runs, all parties of the next generation are missing.
 *
 * @takes Nothing, it reads
 */
export function missingAtBarrier(element: ElementAddress): i32 {
  const word = load64(asLine(get32(element + LINE)) + GRANT);
  const low = low32(word);
  if (high32(word) !== high32(get64(element + DRAWN))) return 0;
  return isActing(low) ? partiesOf(low) : partiesOf(low) - arrivedIn(low);
}

/**
 * Cancels a wait, and breaks its generation. Run the walk afterwards.
 *
 * Returns TAKEN or ADMITTED_DETACHED if the generation ended first, and CANCELLED if the waiter left. Returns
 * CANCELLED_LEFT_BEHIND if the waiter left and its element stays behind, SHUT if the barrier was freed, and RACED if it
 * lost a race: call again. `dead` is 1 for a dead agent.
 *
 * @takes The place; unless the generation has ended, also the generation, by CAS, and the chain of its ticket
 * @leaves `LEAVING` 1 first, or 0 again if the CAS lost; `GATE` FREE or SPENT; `AGENT_DUTY`, `AGENT_DUTY_KIND`,
 *   `AGENT_CHAIN`
 * @death Walk. The wait is cancelled again, and finds its generation ended
 */
export function cancelBarrierWait(
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  dead: i32,
): Cancel {
  const barrier = asLine(get32(element + LINE));
  setHazard(agent, barrier);
  const left = leaveUnderHazard(barrier, agent, element, entry, dead === 0 ? GAVE_UP : DIED);
  clearHazard(agent);
  return left;
}

function leaveUnderHazard(
  barrier: LineAddress,
  agent: AgentAddress,
  element: ElementAddress,
  entry: EntryAddress,
  why: i32,
): Cancel {
  // From here on only a verdict can change a LINKED gate, because the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  if (get32(element + LEAVING) === 0) {
    const seen = pollBarrier(element, entry);
    if (seen !== WAITING) return seen;
  }
  const isThere = !isFreed(element);
  const isOver = isThere && progress(element) >= wide(1);
  if (isThere && !isOver && get32(element + ROLE) !== BYSTANDER) {
    // Write this before the word: a second call has to know that this wait, and no other agent, ended the generation.
    put32(element + LEAVING, 1);
    if (!breakGeneration(barrier, agent, high32(get64(element + DRAWN)), why)) {
      put32(element + LEAVING, 0);
      return RACED;
    }
  }
  const isAdmitted = isOver && get32(element + LEAVING) === 0;
  const gate = load32(element + GATE);
  if (gate !== LINKED) {
    // The element is in no chain. GRANTED or CLOSED means that a walker came between the break and this check.
    if (isAdmitted) return RACED;
    store32(element + GATE, FREE);
    return gate === CLOSED ? SHUT : CANCELLED;
  }
  const outcome = isAdmitted ? outcomeOf(element) : 0;
  const ticket = get64(element + DRAWN);
  const hasOwnChain = isAlone(barrier, ticket, element);
  if (cas32(element + GATE, LINKED, SPENT) !== LINKED) return RACED;
  // From here on a walker may free the element.
  if (isAdmitted) {
    noteOutcome(entry, outcome);
    return ADMITTED_DETACHED;
  }
  if (hasOwnChain) detach(agent, bucketOf(barrier, ticket));
  return CANCELLED_LEFT_BEHIND;
}
