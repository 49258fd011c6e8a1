// Blocking waits in line.

import { checkGate } from '../arena/corrupt.ts';
import type { AgentContext, LocalState } from '../arena/agent-context.ts';
import { finishPending } from '../arena/reclaim.ts';
import { mayRetry } from '../arena/retry.ts';
import { GATE } from '../kernel/layout.ts';
import { CANCELLED_LEFT_BEHIND, IDLE, CANCELLED, PARKED, QUEUED, RACED, SHUT, WAITING } from '../kernel/states.ts';
import { spinHint, type Parking } from '../parking.ts';
import type { WaitingPolicy } from '../policy.ts';

/** A spin reads the clock once per this many polls: reading it costs as much as a dozen polls. */
const LOOKS_PER_TIME = 16;

/** What a wait has to know of the line. */
export type Waitable = Pick<LocalState, 'line' | 'entry' | 'patrol'>;

/**
 * Waits with a ticket that was just drawn. Returns TAKEN or ADMITTED_DETACHED if admitted, SHUT if closed, CANCELLED or
 * CANCELLED_LEFT_BEHIND if the timeout elapsed. After CANCELLED_LEFT_BEHIND and ADMITTED_DETACHED the caller no longer owns the element.
 */
export function waitInLine(context: AgentContext, at: Waitable, element: number, policy: WaitingPolicy, timeoutMs: number): number {
  const deadline = timeoutMs === Infinity ? Infinity : context.parking.now() + timeoutMs;
  const seen = spinWhileNear(context, at, element, policy);
  if (seen !== WAITING) return seen;
  enterChain(context, element);
  return sleepInLine(context, at, element, policy, deadline);
}

/** The part of a wait that parks. The element is, or was, in a chain. `deadline`: in ms of `parking.now`. Returns as `waitInLine` does. */
export function sleepInLine(context: AgentContext, at: Waitable, element: number, policy: WaitingPolicy, deadline: number): number {
  const { kernel, parking } = context;
  const { line, entry, patrol } = at;
  patrol?.look();
  let seen = line.poll(element, entry);
  let tries = 0;
  while (seen === WAITING) {
    // The sleep below starts only if the gate is PARKED. QUEUED: the waiter was let in, but other agents were faster.
    const gate = line.park(element);
    if (gate === QUEUED) enterChain(context, element);
    else checkGate(gate);
    finishPending(context);
    const left = deadline === Infinity ? Infinity : Math.max(0, deadline - parking.now());
    const nap = patrol === undefined ? left : Math.min(left, patrol.everyMs * Math.max(1, kernel.distance(element)));
    const woke = context.sleep(element, PARKED, nap);
    if (woke === 'timed-out') {
      patrol?.look();
      if (nap === left) return leaveLine(context, at, element);
    }
    // It did not sleep: another agent is changing the gate, and needs one step for it.
    if (woke === 'not-equal') mayRetry(++tries);
    else tries = 0;
    // Awake without a verdict: woken early, because this waiter is next.
    seen = spinWhileNear(context, at, element, policy);
  }
  return seen;
}

/**
 * Moves the element from QUEUED to LINKED, with the check that must follow: after this, a releasing agent finds the waiter. Where
 * a waiter is LINKED from the start, this does nothing.
 */
export function enterChain(context: AgentContext, element: number): void {
  if (context.words.load32(element + GATE) !== QUEUED) return;
  for (let tries = 1; context.kernel.link(context.agent, element) === RACED; tries++) mayRetry(tries);
  context.finishWalk();
}

/** Cancels the wait. Returns TAKEN, ADMITTED_DETACHED or SHUT if a verdict came first, else CANCELLED or CANCELLED_LEFT_BEHIND. */
export function leaveLine(context: AgentContext, { line, entry }: Waitable, element: number): number {
  const { kernel, agent } = context;
  let left: number;
  let tries = 0;
  do {
    left = line.cancel(agent, element, entry);
    // A box office no longer counts it, and it is still in line.
    if (left === WAITING) left = kernel.leaveLine(agent, element);
  } while (left === RACED && mayRetry(++tries));
  // Also on SHUT: an earlier call that lost a race may have detached a chain.
  if (left === CANCELLED || left === CANCELLED_LEFT_BEHIND || left === SHUT) context.finishWalk();
  return left;
}

/** Polls for at most `spinMicros` µs while the element is fewer than `longTermThreshold` permits from the head of the line. */
function spinWhileNear(context: AgentContext, { line, entry }: Waitable, element: number, policy: WaitingPolicy): number {
  const seen = line.poll(element, entry);
  if (seen !== WAITING || context.kernel.distance(element) >= policy.longTermThreshold) return seen;
  return spinIfItPays(context, policy, () => line.poll(element, entry));
}

/** Calls `look` until it returns something other than WAITING, for at most `spinMicros` µs, and only while spinning pays. */
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

/** The second half of a release whose first half found waiters: wakes the admitted ones and, early, the next. */
export function wakeNext(context: AgentContext, sem: number, policy: WaitingPolicy): void {
  context.finishWalk();
  // An early wake-up helps only a waiter that then spins. Where spinning does not pay, the waiter would just be woken twice.
  if (policy.spinMicros === 0 || policy.longTermThreshold === 0 || !context.spins.pays) return;
  const wokenEarly = context.kernel.wakeEarly(context.agent, sem, policy.longTermThreshold);
  if (wokenEarly === IDLE) return;
  context.notify(wokenEarly);
}
