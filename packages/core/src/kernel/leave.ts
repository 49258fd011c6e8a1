// Cancelling a wait, at a plain semaphore or at the bouncer of a box office.
//
// At a box office two agents have to agree. An agent that admits waiters relies on the count of waiters, and promises them permits before
// it releases them. So a waiter leaves the box office first, and only while no permit is promised to it:
//
//   due                   its permit is there, even if the walker that brings it is still on its way: the waiter takes it
//   none left to count    every waiter is promised a permit, so this one is, too: it takes the permit, which may not be there yet
//   else                  removed from the count: from here on no agent relies on it. A permit that reaches it nevertheless, promised
//                         to the waiters before it left, is passed on to the next of them
//
// A permit that the waiter takes without the walker it takes with its ticket: the ticket stays drawn, the permit is counted for it, and the
// element that stays in the chain is SPENT. So there is never a permit without a waiter, which would admit two agents later.

import { announce } from './admit.ts';
import { COUNT, GATE, GRANT, LEAVING, OWNER, SEM } from './layout.ts';
import { guard, unguard } from './guard.ts';
import { hasOffice, occupy, cancelAtOffice } from './office.ts';
import { ADMITTED_DETACHED, CLOSED, FREE, GRANTED, LINKED, CANCELLED, PARKED, RACED, SHUT, SPENT, TAKEN, WAITING } from './states.ts';
import { add64, cas32, get32, load32, put32, store32, wide } from './words.ts';
import { isFreed, isShut, leaveLineGuarded, poll, progress, settle } from './wait.ts';

/**
 * Cancels a wait. TAKEN: a grant came first. ADMITTED_DETACHED: as TAKEN, but the element stays behind. CANCELLED: left, the element is the
 * caller's. CANCELLED_LEFT_BEHIND: left, the element stays behind. SHUT: closed. RACED: call again. After CANCELLED, CANCELLED_LEFT_BEHIND
 * and SHUT run the walk.
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
  const seen = isAtOffice(element) ? leaveOffice(agent, element, entry) : poll(element, entry);
  return seen !== WAITING ? seen : leaveLineGuarded(agent, element);
}

/** False for a freed semaphore: its block may hold another primitive by now. */
export function isAtOffice(element: i32): boolean {
  return !isFreed(element) && hasOffice(get32(element + SEM));
}

/** WAITING: no longer counted at the box office, but still in line. */
function leaveOffice(agent: i32, element: i32, entry: i32): i32 {
  const gate = load32(element + GATE);
  if (gate === CLOSED) {
    put32(element + GATE, FREE);
    return SHUT;
  }
  if (get32(element + LEAVING) !== 0) return gate === GRANTED ? passOn(agent, element) : WAITING;
  if (gate === GRANTED) return seize(element, entry, gate);
  if (progress(element) >= wide(get32(element + COUNT))) return seize(element, entry, gate);
  // Before the count: with `jsEngine` an agent may die in between, and must not be removed from the count a second time.
  put32(element + LEAVING, 1);
  const counted = cancelAtOffice(get32(element + SEM));
  if (counted === CANCELLED) return WAITING;
  put32(element + LEAVING, 0);
  return counted === TAKEN ? seize(element, entry, gate) : RACED;
}

/** Takes the permit that is promised, without waiting for its walker. */
function seize(element: i32, entry: i32, gate: i32): i32 {
  const sem = get32(element + SEM);
  // Not in a chain: no walker will look for it.
  if (gate !== LINKED) return settle(element, entry);
  const id = get32(element + OWNER);
  const found = cas32(element + GATE, LINKED, SPENT);
  if (found === GRANTED) return settle(element, entry);
  if (found !== LINKED) return RACED;
  // With the values read before: a walker may have freed the element, and another agent may use it.
  occupy(sem, id, entry);
  return ADMITTED_DETACHED;
}

/** The waiter left the box office, but a permit reached it: that permit is for one of the waiters that are still counted. */
function passOn(agent: i32, element: i32): i32 {
  const sem = get32(element + SEM);
  store32(element + GATE, FREE);
  if (isShut(element)) return SHUT;
  announce(sem, agent, add64(sem + GRANT, wide(1)), 1);
  return CANCELLED;
}
