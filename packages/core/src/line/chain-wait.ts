// Waits in the chain of a bucket until a condition holds (Dice & Kogan, Listing 3).
//
//   push the element · check again · sleep at its gate · when woken, check, and push again
//
// Lost wake-up, waiter side: the push comes before the second check. Pairs with `signalChain` in
// kernel/condition-chain.ts: the signaller changes the condition before it detaches the chain. So either the waiter
// sees the change, or the signaller finds its element. Without the second check the waiter could check, the signaller
// could change the condition and detach an empty chain, and only then would the waiter push its element and sleep (the
// mutant "an async wait on a condition does not check again after the push").

import { deadlineIn } from '../agent/parking.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import { asyncWaitBegins, asyncWaitEnds, observed, observer, type WaitEnding } from '../agent/observer.ts';
import { TimeoutError } from '../api/errors.ts';
import { MODE_ASYNC, MODE_BLOCKING } from '../kernel/layout.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { offAbort, onAbort, reasonOf } from '../api/on-abort.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';
import { enterBucket, gateOpens, leaveBucket, passOnWake, sleepAtGate, type Abort } from './element-gate.ts';
import type { Titled } from '../api/wording.ts';
import type { Claim } from './condition-claim.ts';
import type { BucketAddress, ElementAddress } from '../kernel/addresses.ts';

/** A bucket, and the agent that waits there. */
export interface BucketSpot {
  readonly context: AgentContext;
  readonly bucket: BucketAddress;
  readonly policy: WaitingPolicy;
  /** The claim of the async waits, for reports. */
  readonly claim?: Claim | undefined;
}

/**
 * Blocks until `satisfied` returns a truthy value or `deadline` passes. Returns the last value of `satisfied`.
 * `deadline` is in ms of `parking.now`.
 */
export function waitAtBucket<T>(spot: BucketSpot, satisfied: () => T, deadline: number): T {
  const { context, bucket, policy, claim } = spot;
  let since: number | undefined;
  for (;;) {
    const seen = satisfied();
    if (seen || (deadline !== Infinity && context.parking.now() >= deadline)) return seen;
    if (observer !== undefined)
      return observed(context, 0, claim?.tag ?? 0, () => waitAtBucket(spot, satisfied, deadline), endingOfSeen);
    since ??= context.parking.date();
    const element = enterBucket(context, bucket, { mode: MODE_BLOCKING, since });
    const { value, met } = lookAgain(context, element, satisfied);
    if (met) return value;
    if (sleepAtGate(context, element, policy, deadline)) passOnWake(context, element);
    else leaveBucket(context, element);
  }
}

function endingOfSeen(seen: unknown): WaitEnding {
  return seen ? 'taken' : 'timed-out';
}

/**
 * Checks the condition between the push and the park. If the condition holds or `satisfied` throws, the element leaves
 * the chain.
 */
function lookAgain<T>(
  context: AgentContext,
  element: ElementAddress,
  satisfied: () => T,
): { readonly value: T; readonly met: boolean } {
  let met = true;
  try {
    const value = satisfied();
    met = Boolean(value);
    return { value, met };
  } finally {
    if (met) leaveBucket(context, element);
  }
}

/**
 * Waits without blocking until `satisfied` returns a truthy value, and resolves with that value. Rejects with
 * `TimeoutError` or the signal's reason.
 *
 * `options` must already be checked. `late` begins the message of the `TimeoutError`.
 */
export async function awaitAtBucket<T>(
  { context, bucket, claim }: BucketSpot,
  satisfied: () => T,
  options: WaitOptions,
  late: Titled,
): Promise<T> {
  const { timeout = Infinity, signal, ref = true } = options;
  const deadline = deadlineIn(context.parking, timeout);
  const atOnce = satisfied();
  if (atOnce || timeout === 0) {
    const later = context.budget.spend();
    if (later !== undefined) await later;
    if (atOnce) return atOnce;
  }
  const abort: Abort = { happened: false, end: () => undefined };
  const tell = (): void => {
    abort.happened = true;
    abort.end();
  };
  // Subscribe once, before the first round: a signal that throws must end the wait here.
  onAbort(signal, tell);
  const since = context.parking.date();
  if (observer !== undefined) asyncWaitBegins(abort, context, 0, claim?.tag);
  let ending: WaitEnding = 'taken';
  try {
    for (;;) {
      if (deadline !== Infinity && context.parking.now() >= deadline)
        throw new TimeoutError(`${late.toString()} within ${timeout} ms.`);
      const element = enterBucket(context, bucket, { mode: MODE_ASYNC, claim, since });
      const { value, met } = lookAgain(context, element, satisfied);
      if (met) return value;
      const how = await gateOpens(context, element, ref, deadline, abort);
      if (how === 'open') passOnWake(context, element);
      else leaveBucket(context, element);
      const seen = satisfied();
      // A condition that became true wins over the abort and the timeout.
      if (seen) return seen;
      if (how === 'aborted') throw reasonOf(signal);
    }
  } catch (failure) {
    ending = failure instanceof TimeoutError ? 'timed-out' : 'failed';
    throw failure;
  } finally {
    offAbort(signal, tell);
    if (observer !== undefined) asyncWaitEnds(abort, ending);
  }
}
