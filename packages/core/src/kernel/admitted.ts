// A wait that takes nothing, at a kind where one step makes the ticket of all waiters due. There is no count of waiters
// to keep right, so a waiter that cancels only leaves its chain.
//
//   due          its ticket is due and it is in no chain, or the walk has admitted it: the wait has ended
//   in no chain  the element is the waiter's again
//   in a chain   the element stays behind, SPENT. If it is alone in its chain, the waiter detaches the chain, and the
//                walk that follows frees the element. Otherwise the next walk of that chain frees it: of an admission,
//                or of an agent that gathers tombstones, which each agent does after it has left enough of them behind
//                (gather.ts). A walk for each waiter that cancels would visit all the others each time

import { bucketOf, detach } from './chain.ts';
import { guard, unguard } from './guard.ts';
import { AT, GATE, NEXT, SEM } from './layout.ts';
import {
  ADMITTED_DETACHED,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  CLOSED,
  FREE,
  GRANTED,
  LINKED,
  PARKED,
  QUEUED,
  RACED,
  SHUT,
  SPENT,
  TAKEN,
  WAITING,
  type Cancel,
  type Poll,
} from './states.ts';
import { isFreed, isShut, progress } from './wait.ts';
import { cas32, get32, get64, load32, store32, wide } from './words.ts';
import type { AgentAddress, ElementAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

/** Checks once. TAKEN: admitted, the element is free. SHUT: freed or closed, the element is free. WAITING: neither. */
export function pollAdmitted(element: ElementAddress): Poll {
  const gate = load32(element + GATE);
  const isOver = gate === GRANTED || (gate === QUEUED && progress(element) >= wide(1));
  const isGone = gate === CLOSED || (gate === QUEUED && isShut(element)) || (isOver && isFreed(element));
  if (!isOver && !isGone) return WAITING;
  store32(element + GATE, FREE);
  return isGone ? SHUT : TAKEN;
}

/**
 * Cancels a wait, also a dead agent's. TAKEN, ADMITTED_DETACHED: the admission came first. CANCELLED: left.
 * CANCELLED_LEFT_BEHIND: left, the element stays behind. SHUT: freed or closed. RACED: call again. Run the walk
 * afterwards.
 */
export function cancelAdmitted(agent: AgentAddress, element: ElementAddress): Cancel {
  guard(agent, asLine(get32(element + SEM)));
  const left = leaveAdmitted(agent, element);
  unguard(agent);
  return left;
}

function leaveAdmitted(agent: AgentAddress, element: ElementAddress): Cancel {
  // From here on only a verdict can change a LINKED gate: the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  const seen = pollAdmitted(element);
  if (seen !== WAITING) return seen;
  if (load32(element + GATE) === QUEUED) {
    store32(element + GATE, FREE);
    return CANCELLED;
  }
  const isOver = !isFreed(element) && progress(element) >= wide(1);
  const line = asLine(get32(element + SEM));
  const ticket = get64(element + AT);
  const alone = isAlone(line, ticket, element);
  if (cas32(element + GATE, LINKED, SPENT) !== LINKED) return RACED;
  // From here on a walker may free the element.
  if (isOver) return ADMITTED_DETACHED;
  if (alone) detach(agent, bucketOf(line, ticket));
  return CANCELLED_LEFT_BEHIND;
}

/**
 * Whether a LINKED element with that ticket is alone in its chain. If others come or go meanwhile, a wrong result costs
 * a walk, or one tombstone.
 */
export function isAlone(line: LineAddress, ticket: i64, element: ElementAddress): boolean {
  return load32(bucketOf(line, ticket)) === element && load32(element + NEXT) === 0;
}
