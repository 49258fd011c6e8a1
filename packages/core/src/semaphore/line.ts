// Waiting in line, blocking: the only loop of the core that sleeps.

import { checkGate } from '../arena/corrupt.ts';
import type { Patrol, Seat } from '../arena/seat.ts';
import { GATE } from '../kernel/layout.ts';
import { GONE, IDLE, OUT, PARKED, QUEUED, RACED, SHUT, WAITING } from '../kernel/states.ts';
import { spinHint, type Parking } from '../parking.ts';
import type { WaitingPolicy } from '../policy.ts';

/** The clock is read once in so many looks: it costs as much as a dozen of them. */
const LOOKS_PER_TIME = 16;

/**
 * Waits with a ticket that was just drawn. TAKEN, CAUGHT: admitted. SHUT: closed. OUT or GONE: the timeout ran out.
 * After GONE and CAUGHT the element is no longer the caller's.
 */
export function waitInLine(
  seat: Seat,
  element: number,
  entry: number,
  policy: WaitingPolicy,
  timeoutMs: number,
  patrol?: Patrol,
): number {
  const deadline = timeoutMs === Infinity ? Infinity : seat.parking.now() + timeoutMs;
  const seen = spinWhileNear(seat, element, entry, policy);
  if (seen !== WAITING) return seen;
  enterChain(seat, element);
  return sleepInLine(seat, element, entry, policy, deadline, patrol);
}

/** The part of a wait that sleeps: the element is in a chain, or was. `deadline` is a time of `parking.now`. */
export function sleepInLine(
  seat: Seat,
  element: number,
  entry: number,
  policy: WaitingPolicy,
  deadline: number,
  patrol?: Patrol,
): number {
  const { kernel, parking } = seat;
  patrol?.look();
  let seen = kernel.poll(element, entry);
  while (seen === WAITING) {
    // Whatever gate this finds, the sleep below starts only on PARKED. QUEUED: let in, but others were faster.
    const gate = kernel.park(element);
    if (gate === QUEUED) enterChain(seat, element);
    else checkGate(gate);
    const left = deadline === Infinity ? Infinity : Math.max(0, deadline - parking.now());
    const nap = patrol === undefined ? left : Math.min(left, patrol.everyMs * Math.max(1, kernel.distance(element)));
    if (seat.sleep(element, PARKED, nap) === 'timed-out') {
      patrol?.look();
      if (nap === left) return leaveLine(seat, element, entry);
    }
    // Awake without a verdict: roused early, because our turn comes next.
    seen = spinWhileNear(seat, element, entry, policy);
  }
  return seen;
}

/**
 * QUEUED to LINKED, and the check again that belongs to it: after this, whoever admits us finds us. At a queued lock a waiter is
 * LINKED from the start.
 */
export function enterChain(seat: Seat, element: number): void {
  if (seat.words.load32(element + GATE) !== QUEUED) return;
  while (seat.kernel.link(seat.agent, element) === RACED);
  seat.finishWalk();
}

/** Gives up. TAKEN, CAUGHT or SHUT when the verdict was first; else OUT or GONE. */
export function leaveLine(seat: Seat, element: number, entry: number): number {
  let left: number;
  do left = seat.kernel.leave(seat.agent, element, entry);
  while (left === RACED);
  // Also when it was closed: a call before that lost a race may have detached a chain.
  if (left === OUT || left === GONE || left === SHUT) seat.finishWalk();
  return left;
}

/** Polls while the element is less than `longTermThreshold` permits from the head of the line, for `spinMicros` at the most. */
function spinWhileNear(seat: Seat, element: number, entry: number, policy: WaitingPolicy): number {
  const { kernel } = seat;
  const seen = kernel.poll(element, entry);
  if (seen !== WAITING || kernel.distance(element) >= policy.longTermThreshold) return seen;
  return spinIfItPays(seat, policy, () => kernel.poll(element, entry));
}

/** Looks again and again, for `spinMicros` at the most and only where spinning pays, until `look` says something else than WAITING. */
export function spinIfItPays({ parking, spins }: Seat, { spinMicros, longTermThreshold }: WaitingPolicy, look: () => number): number {
  if (spinMicros === 0 || longTermThreshold === 0 || !spins.mayTry()) return WAITING;
  const outcome = spin(parking, look, spinMicros / 1000);
  spins.note(outcome !== WAITING);
  return outcome;
}

function spin(parking: Parking, look: () => number, budgetMs: number): number {
  const end = parking.now() + budgetMs;
  do {
    for (let looks = 0; looks < LOOKS_PER_TIME; looks++) {
      spinHint();
      const seen = look();
      if (seen !== WAITING) return seen;
    }
  } while (parking.now() < end);
  return WAITING;
}

/** The second half of a release whose first half found agents in line. */
export function wakeNext(seat: Seat, sem: number, policy: WaitingPolicy): void {
  seat.finishWalk();
  // An early wake-up is for a waiter that spins: where spins are vain it would only wake it twice.
  if (policy.spinMicros === 0 || policy.longTermThreshold === 0 || !seat.spins.pays) return;
  const roused = seat.kernel.rouse(seat.agent, sem, policy.longTermThreshold);
  if (roused === IDLE) return;
  seat.notify(roused);
}
