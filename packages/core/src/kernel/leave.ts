// Cancelling a wait at a semaphore. A kind has a step of its own for that (bouncer.ts).

import { GATE, SEM } from './layout.ts';
import { guard, unguard } from './guard.ts';
import { LINKED, PARKED, WAITING, type Leave } from './states.ts';
import { cas32, get32 } from './words.ts';
import { leaveLineGuarded, poll } from './wait.ts';
import type { AgentAddress, ElementAddress, EntryAddress } from './addresses.ts';
import { asLine } from './addresses.ts';

/**
 * Cancels a wait. TAKEN: a grant came first. CANCELLED: left, the element is the caller's. CANCELLED_LEFT_BEHIND: left, the element stays
 * behind. SHUT: closed. RACED: call again. After CANCELLED, CANCELLED_LEFT_BEHIND and SHUT run the walk.
 */
export function leave(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Leave {
  guard(agent, asLine(get32(element + SEM)));
  const left = leaveGuarded(agent, element, entry);
  unguard(agent);
  return left;
}

/** As `leave`, for a caller that has the guard. */
export function leaveGuarded(agent: AgentAddress, element: ElementAddress, entry: EntryAddress): Leave {
  // From here on only a verdict can change a LINKED gate: the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  const seen = poll(element, entry);
  return seen !== WAITING ? seen : leaveLineGuarded(agent, element);
}
