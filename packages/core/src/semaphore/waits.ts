// Complete waits, from a drawn ticket to the caller's result, for semaphores and for box offices with their bouncers.

import type { Wanted } from '../account/account.ts';
import type { AgentContext, LocalState } from '../arena/agent-context.ts';
import { ADMITTED_DETACHED, CANCELLED_LEFT_BEHIND, SHUT, TAKEN, WAITING } from '../kernel/states.ts';
import type { WaitOptions } from '../lock.ts';
import { reasonOf } from '../on-abort.ts';
import type { WaitingPolicy } from '../policy.ts';
import { leaveLine, waitInLine } from './line.ts';
import { waitInLineAsync } from './line-async.ts';

/**
 * Blocks with a drawn ticket. Returns TAKEN, SHUT, or WAITING if the timeout elapsed.
 *
 * `before`: the number of async waits of this agent that are ahead of this one. Their continuations cannot run while the agent
 * blocks, so with any of them a wait without a limit throws `DeadlockError`.
 */
export function blockInLine(
  context: AgentContext,
  localState: LocalState,
  element: number,
  policy: WaitingPolicy,
  timeoutMs: number,
  what: Wanted,
  before = localState.asyncWaits.size,
): number {
  const stuck = timeoutMs === Infinity && before > 0;
  const verdict = stuck ? leaveLine(context, localState, element) : waitInLine(context, localState, element, policy, timeoutMs);
  const outcome = endOfWait(context, localState, element, verdict);
  if (stuck && outcome === WAITING) throw what.deadlock(before);
  return outcome;
}

/**
 * Waits without blocking. Resolves with TAKEN, SHUT, or what `draw` decided at once.
 *
 * Rejects with `TimeoutError`, the signal's reason, and what `draw` throws; then nothing was taken. `what` makes the errors. `taken`
 * is called in the same turn in which the permits are taken.
 */
export async function awaitInLine(
  context: AgentContext,
  localState: LocalState,
  draw: () => number,
  options: WaitOptions,
  what: Wanted,
  taken: () => void = nothing,
): Promise<number> {
  const { timeout, signal } = options;
  const { element, verdict, aborted } = await waitInLineAsync(context, localState, draw, options, taken);
  if (element === 0) return verdict;
  // Before the element is kept for reuse: the message reads from it which waiters are ahead.
  const late = !aborted && isGivenUp(verdict) ? what.timedOut(timeout, element) : undefined;
  const outcome = endOfWait(context, localState, element, verdict);
  if (outcome !== WAITING) return outcome;
  if (aborted) throw reasonOf(signal);
  throw late ?? what.timedOut(timeout, 0);
}

function isGivenUp(verdict: number): boolean {
  return verdict !== TAKEN && verdict !== ADMITTED_DETACHED && verdict !== SHUT;
}

function nothing(): void {
  // The default `taken`: the caller does not need the call.
}

/** Ends a wait with `verdict`: keeps the element for reuse if the caller still owns it. Returns TAKEN, SHUT or WAITING. */
export function endOfWait(context: AgentContext, { entry }: LocalState, element: number, verdict: number): number {
  const taken = verdict === TAKEN || verdict === ADMITTED_DETACHED;
  if (taken) context.stamp(entry);
  if (verdict !== CANCELLED_LEFT_BEHIND && verdict !== ADMITTED_DETACHED) context.keep(element);
  if (taken) return TAKEN;
  return verdict === SHUT ? SHUT : WAITING;
}
