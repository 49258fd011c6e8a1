// A wait that takes nothing, for kinds in which one step admits all waiters. There is no count of waiters to keep
// exact, so a waiter that cancels only leaves its chain:
//
//   due          its ticket is due and its element is in no chain, or the walk has admitted it: the wait has ended
//   in no chain  the waiter gets its element back
//   in a chain   the element stays behind, SPENT. If it is alone in its chain, the waiter detaches the chain, and the
//                walk that follows frees the element. Otherwise the next walk of that chain frees it. That is the walk
//                of an admission, or of an agent that gathers tombstones. Each agent gathers after it has left enough
//                of them behind (merge-tombstones.ts). A walk per cancelled waiter would visit all other waiters each
//                time

import { bucketOf, detach } from './chain.ts';
import { clearHazard, setHazard } from './hazard.ts';
import { DRAWN, GATE, NEXT, LINE } from './layout.ts';
import {
  ADMITTED_DETACHED,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  FREE,
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
import { isFreed, progress, verdictOf } from './wait.ts';
import { cas32, get32, get64, load32, store32, wide } from './words.ts';
import type { AgentAddress, ElementAddress, LineAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

/**
 * Checks once. Returns TAKEN if the waiter was admitted and SHUT if the line is freed or closed. In both cases the
 * element is free. Returns WAITING otherwise.
 */
export function pollAdmitted(element: ElementAddress): Poll {
  const verdict = verdictOf(element);
  if (verdict !== TAKEN) return verdict;
  const freed = isFreed(element);
  store32(element + GATE, FREE);
  return freed ? SHUT : TAKEN;
}

/**
 * Cancels a wait of this agent or of a dead agent. Run the walk afterwards.
 *
 * Returns TAKEN or ADMITTED_DETACHED if the admission came first, and CANCELLED if the waiter left. Returns
 * CANCELLED_LEFT_BEHIND if the waiter left and its element stays behind, SHUT if the line is freed or closed, and RACED
 * if it lost a race: call again.
 */
export function cancelAdmitted(agent: AgentAddress, element: ElementAddress): Cancel {
  setHazard(agent, asLine(get32(element + LINE)));
  const left = leaveAdmitted(agent, element);
  clearHazard(agent);
  return left;
}

function leaveAdmitted(agent: AgentAddress, element: ElementAddress): Cancel {
  // From here on only a verdict can change a LINKED gate, because the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  const seen = pollAdmitted(element);
  if (seen !== WAITING) return seen;
  if (load32(element + GATE) === QUEUED) {
    store32(element + GATE, FREE);
    return CANCELLED;
  }
  const isOver = !isFreed(element) && progress(element) >= wide(1);
  const line = asLine(get32(element + LINE));
  const ticket = get64(element + DRAWN);
  const hasOwnChain = isAlone(line, ticket, element);
  if (cas32(element + GATE, LINKED, SPENT) !== LINKED) return RACED;
  // From here on a walker may free the element.
  if (isOver) return ADMITTED_DETACHED;
  if (hasOwnChain) detach(agent, bucketOf(line, ticket));
  return CANCELLED_LEFT_BEHIND;
}

/**
 * Whether a LINKED element with that ticket is alone in its chain. If other elements come or go meanwhile, the result
 * may be wrong, which costs one walk or leaves one tombstone.
 */
export function isAlone(line: LineAddress, ticket: i64, element: ElementAddress): boolean {
  return load32(bucketOf(line, ticket)) === element && load32(element + NEXT) === 0;
}
