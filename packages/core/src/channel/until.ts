// Waiting in the chain of a bucket until a condition holds (Dice & Kogan, Listing 3).
//
//   push the element · look again · sleep at its gate · woken: look, and push anew
//
// No lost wake-up, this end: the push comes before the second look. Who changes the condition changes it first and detaches the chain
// then (signalChain, kernel/channel.ts): so either the waiter sees the change, or the signaller finds its element.

import type { AgentContext } from '../arena/agent-context.ts';
import { TimeoutError } from '../errors.ts';
import { MODE_ASYNC, MODE_BLOCKING } from '../kernel/layout.ts';
import type { WaitOptions } from '../lock.ts';
import { offAbort, onAbort, reasonOf } from '../on-abort.ts';
import type { WaitingPolicy } from '../policy.ts';
import { enterBucket, gateOpens, leaveBucket, passOnWake, sleepAtGate, type Abort } from './gate.ts';
import type { Titled } from '../body.ts';
import type { Claim } from './waiting.ts';

/** A bucket as one agent waits there. */
export interface BucketSpot {
  readonly context: AgentContext;
  readonly bucket: number;
  readonly policy: WaitingPolicy;
  /** For reports: what async waits there are for. */
  readonly claim?: Claim | undefined;
}

/** Blocks until `satisfied` returns something truthy: what it returned last. `deadline`: a time of the context's clock. */
export function waitAtBucket<T>({ context, bucket, policy }: BucketSpot, satisfied: () => T, deadline: number): T {
  for (;;) {
    const seen = satisfied();
    if (seen || (deadline !== Infinity && context.parking.now() >= deadline)) return seen;
    const element = enterBucket(context, bucket, { mode: MODE_BLOCKING });
    const { value, met } = lookAgain(context, element, satisfied);
    if (met) return value;
    if (sleepAtGate(context, element, policy, deadline)) passOnWake(context, element);
    else leaveBucket(context, element);
  }
}

/** Between the push and the park; whether there is no need to. Then, and if the condition throws, the element is off the chain. */
function lookAgain<T>(context: AgentContext, element: number, satisfied: () => T): { readonly value: T; readonly met: boolean } {
  let met = true;
  try {
    const value = satisfied();
    met = Boolean(value);
    return { value, met };
  } finally {
    if (met) leaveBucket(context, element);
  }
}

/** The same without blocking; rejects with `TimeoutError` or the signal's reason. `options` were checked; `late`: what has not happened by then, for the message. */
export async function awaitAtBucket<T>({ context, bucket, claim }: BucketSpot, satisfied: () => T, options: WaitOptions, late: Titled): Promise<T> {
  const { timeout = Infinity, signal, ref = true } = options;
  const deadline = timeout === Infinity ? Infinity : context.parking.now() + timeout;
  const atOnce = satisfied();
  if (atOnce) return atOnce;
  const abort: Abort = { happened: false, end: () => undefined };
  const tell = (): void => {
    abort.happened = true;
    abort.end();
  };
  // Once for all rounds, and before the first: a signal that fails ends the wait here.
  onAbort(signal, tell);
  try {
    for (;;) {
      if (deadline !== Infinity && context.parking.now() >= deadline) throw new TimeoutError(`${late.toString()} within ${timeout} ms.`);
      const element = enterBucket(context, bucket, { mode: MODE_ASYNC, claim });
      const { value, met } = lookAgain(context, element, satisfied);
      if (met) return value;
      const how = await gateOpens(context, element, ref, deadline, abort);
      if (how === 'open') passOnWake(context, element);
      else leaveBucket(context, element);
      const seen = satisfied();
      // A condition that came true was first.
      if (seen) return seen;
      if (how === 'aborted') throw reasonOf(signal);
    }
  } finally {
    offAbort(signal, tell);
  }
}
