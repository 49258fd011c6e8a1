// Waiting in line, blocking: the only loop of the core that sleeps.

import { checkGate } from '../arena/corrupt.ts';
import type { Patrol, AgentContext } from '../arena/agent-context.ts';
import { mayRetry } from '../arena/retry.ts';
import { GATE } from '../kernel/layout.ts';
import { CANCELLED_LEFT_BEHIND, IDLE, CANCELLED, PARKED, QUEUED, RACED, SHUT, WAITING } from '../kernel/states.ts';
import { spinHint, type Parking } from '../parking.ts';
import type { WaitingPolicy } from '../policy.ts';

/** The clock is read once in so many looks: it costs as much as a dozen of them. */
const LOOKS_PER_TIME = 16;

/**
 * Waits with a ticket that was just drawn. TAKEN, ADMITTED_DETACHED: admitted. SHUT: closed. CANCELLED or CANCELLED_LEFT_BEHIND: the timeout ran out.
 * After CANCELLED_LEFT_BEHIND and ADMITTED_DETACHED the element is no longer the caller's.
 */
export function waitInLine(
  context: AgentContext,
  element: number,
  entry: number,
  policy: WaitingPolicy,
  timeoutMs: number,
  patrol?: Patrol,
): number {
  const deadline = timeoutMs === Infinity ? Infinity : context.parking.now() + timeoutMs;
  const seen = spinWhileNear(context, element, entry, policy);
  if (seen !== WAITING) return seen;
  enterChain(context, element);
  return sleepInLine(context, element, entry, policy, deadline, patrol);
}

/** The part of a wait that sleeps: the element is in a chain, or was. `deadline` is a time of `parking.now`. */
export function sleepInLine(
  context: AgentContext,
  element: number,
  entry: number,
  policy: WaitingPolicy,
  deadline: number,
  patrol?: Patrol,
): number {
  const { kernel, parking } = context;
  patrol?.look();
  let seen = kernel.poll(element, entry);
  let tries = 0;
  while (seen === WAITING) {
    // Whatever gate this finds, the sleep below starts only on PARKED. QUEUED: let in, but others were faster.
    const gate = kernel.park(element);
    if (gate === QUEUED) enterChain(context, element);
    else checkGate(gate);
    const left = deadline === Infinity ? Infinity : Math.max(0, deadline - parking.now());
    const nap = patrol === undefined ? left : Math.min(left, patrol.everyMs * Math.max(1, kernel.distance(element)));
    const woke = context.sleep(element, PARKED, nap);
    if (woke === 'timed-out') {
      patrol?.look();
      if (nap === left) return leaveLine(context, element, entry);
    }
    // It did not sleep: another agent is about to change the gate, which takes that agent one step.
    if (woke === 'not-equal') mayRetry(++tries);
    else tries = 0;
    // Awake without a verdict: wokenEarly early, because our turn comes next.
    seen = spinWhileNear(context, element, entry, policy);
  }
  return seen;
}

/**
 * QUEUED to LINKED, and the check again that belongs to it: after this, whoever admits us finds us. At a queued lock a waiter is
 * LINKED from the start.
 */
export function enterChain(context: AgentContext, element: number): void {
  if (context.words.load32(element + GATE) !== QUEUED) return;
  for (let tries = 1; context.kernel.link(context.agent, element) === RACED; tries++) mayRetry(tries);
  context.finishWalk();
}

/** Gives up. TAKEN, ADMITTED_DETACHED or SHUT when the verdict was first; else CANCELLED or CANCELLED_LEFT_BEHIND. */
export function leaveLine(context: AgentContext, element: number, entry: number): number {
  let left: number;
  let tries = 0;
  do left = context.kernel.leave(context.agent, element, entry);
  while (left === RACED && mayRetry(++tries));
  // Also when it was closed: a call before that lost a race may have detached a chain.
  if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND || left === SHUT) context.finishWalk();
  return left;
}

/** Polls while the element is less than `longTermThreshold` permits from the head of the line, for `spinMicros` at the most. */
function spinWhileNear(context: AgentContext, element: number, entry: number, policy: WaitingPolicy): number {
  const { kernel } = context;
  const seen = kernel.poll(element, entry);
  if (seen !== WAITING || kernel.distance(element) >= policy.longTermThreshold) return seen;
  return spinIfItPays(context, policy, () => kernel.poll(element, entry));
}

/** Looks again and again, for `spinMicros` at the most and only where spinning pays, until `look` says something else than WAITING. */
export function spinIfItPays({ parking, spins }: AgentContext, { spinMicros, longTermThreshold }: WaitingPolicy, look: () => number): number {
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
export function wakeNext(context: AgentContext, sem: number, policy: WaitingPolicy): void {
  context.finishWalk();
  // An early wake-up is for a waiter that spins: where spins are vain it would only wake it twice.
  if (policy.spinMicros === 0 || policy.longTermThreshold === 0 || !context.spins.pays) return;
  const wokenEarly = context.kernel.wakeEarly(context.agent, sem, policy.longTermThreshold);
  if (wokenEarly === IDLE) return;
  context.notify(wokenEarly);
}
