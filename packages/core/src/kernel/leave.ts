// Cancelling a wait at a semaphore. A kind has a step of its own for that (bouncer.ts).

import { GATE, SEM } from './layout.ts';
import { guard, unguard } from './guard.ts';
import { LINKED, PARKED, WAITING } from './states.ts';
import { cas32, get32 } from './words.ts';
import { leaveLineGuarded, poll } from './wait.ts';

/**
 * Cancels a wait. TAKEN: a grant came first. CANCELLED: left, the element is the caller's. CANCELLED_LEFT_BEHIND: left, the element stays
 * behind. SHUT: closed. RACED: call again. After CANCELLED, CANCELLED_LEFT_BEHIND and SHUT run the walk.
 */
export function leave(agent: i32, element: i32, entry: i32): i32 {
  guard(agent, get32(element + SEM));
  const left = leaveGuarded(agent, element, entry);
  unguard(agent);
  return left;
}

/** As `leave`, for a caller that has the guard. */
export function leaveGuarded(agent: i32, element: i32, entry: i32): i32 {
  // From here on only a verdict can change a LINKED gate: the early wake-up changes only a PARKED gate.
  cas32(element + GATE, PARKED, LINKED);
  const seen = poll(element, entry);
  return seen !== WAITING ? seen : leaveLineGuarded(agent, element);
}
