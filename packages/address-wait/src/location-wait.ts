// Waiting at a location (Dice & Kogan, Listing 5): an agent has one element. Its calls alternate between pushing it and
// waiting on it.
//
//   while (!condition) locationWait(key)        1st check · push · 2nd check · wait · 3rd check · push · ...
//
// The call that only pushes returns at once: the check that follows it closes the race with a signal. A loop that ends
// after that check leaves the element where it is. The agent's next wait, on any key, removes it from there first.

import { MODE_BLOCKING, NEEDS_WALK, type BucketAddress, type ElementAddress } from '@sluice/core/format';
import { enterBucket, leaveBucket, sleepAtGate, type AgentContext } from '@sluice/core/internal';
import { spotOf, type WaitKey } from './key.ts';
import { deadlineOf } from './waits.ts';

/** An agent's element, and the bucket whose chain it is in. */
interface OnChain {
  readonly element: ElementAddress;
  readonly bucket: BucketAddress;
}

const onChain = new WeakMap<AgentContext, OnChain>();

/**
 * Takes one step of a wait, for a loop that checks its condition before each call. The step either pushes this agent's
 * element onto the key's chain, or blocks until `locationWakeAll` for this key. Returns false if `timeoutMs` elapsed.
 *
 * The loop may end at any time without a further call, so this wait is the cheapest to leave. An agent waits for one
 * key at a time. A wait for another key in between only makes the loop check once more.
 *
 * Blocking only: an agent has one element, and async waits would have to share it. For async waits use
 * `addressWaitUntilAsync`.
 *
 * ```ts run
 * import { locationWait, locationWakeAll, SharedWord } from '@sluice/address-wait';
 *
 * const word = SharedWord.create(0);
 * // In another thread: word.store(1); locationWakeAll(word);
 * word.store(1);
 * locationWakeAll(word);
 * while (word.load() !== 1) locationWait(word);
 * console.log(word.load()); // 1
 * ```
 *
 * @throws The errors of `addressWaitUntil`.
 */
export function locationWait(key: WaitKey, timeoutMs = Infinity): boolean {
  const { context, bucket, policy } = spotOf(key);
  return waitAtLocation(context, bucket, () => deadlineOf(context, timeoutMs), policy);
}

/** Waits at a bucket as `locationWait` does. `deadline` is called when the wait needs it. */
export function waitAtLocation(
  context: AgentContext,
  bucket: BucketAddress,
  deadline: () => number,
  policy: Parameters<typeof sleepAtGate>[2],
): boolean {
  const last = onChain.get(context);
  if (last?.bucket !== bucket) {
    const end = deadline();
    if (end <= context.parking.now()) return false;
    if (last !== undefined) takeAway(context, last.element);
    onChain.set(context, { element: enterBucket(context, bucket, { location: 1, mode: MODE_BLOCKING }), bucket });
    return true;
  }
  const woken = sleepAtGate(context, last.element, policy, deadline());
  takeAway(context, last.element);
  return woken;
}

/** Removes the element from its chain, even if it was not woken. */
function takeAway(context: AgentContext, element: ElementAddress): void {
  onChain.delete(context);
  leaveBucket(context, element);
}

/**
 * Wakes all waiters at the key. Call it after you changed the value that the condition
 * reads.
 *
 * @throws The errors of `addressSignal`.
 */
export function locationWakeAll(key: WaitKey): void {
  wakeAll(key, 0);
}

/** Wakes as `locationWakeAll` does, but only reads if no agent waits. */
export function locationWakeAllPolite(key: WaitKey): void {
  wakeAll(key, 1);
}

function wakeAll(key: WaitKey, polite: number): void {
  const { context, bucket } = spotOf(key);
  // Lost wake-up, signaller side: detach after the caller's change. Pairs with `locationWait`: its caller checks a
  // second time after the call that pushed the element (`enterBucket`).
  if (context.kernel.signalSlot(context.agent, bucket, polite) === NEEDS_WALK) context.finishWalk();
}
