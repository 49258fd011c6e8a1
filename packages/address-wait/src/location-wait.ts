// Waiting at a location (Dice & Kogan, Listing 5): an agent has one element, and calls alternate between emplacing it and waiting.
//
//   while (!condition) locationWait(key)        1st look · pushOntoChain · 2nd look · wait · 3rd look · pushOntoChain · ...
//
// The call that only pushesOntoChain returns at once: the look that follows it is the one that closes the race with a signal. A loop that
// ends after that look leaves the element where it is, and the next wait of the agent, wherever, takes it away from there first.

import { enterBucket, leaveBucket, MODE_BLOCKING, sleepAtGate, type AgentContext } from '@sluice/core/internal';
import { spotOf, type WaitKey } from './key.ts';
import { deadlineOf } from './waits.ts';

/** An agent's element, and the bucket that it is at. */
interface OnChain {
  readonly element: number;
  readonly bucket: number;
}

const onChain = new WeakMap<AgentContext, OnChain>();

/**
 * One step of a wait, for a loop that looks at its condition before each call: pushesOntoChain, or blocks until `locationWakeAll` for this
 * key. False when `timeoutMs` ran out. Cheapest to leave: the loop may end at any time, and nothing has to be called then. An agent
 * waits for one key at a time; a wait for another key in between only makes the loop look once more.
 *
 * Blocking only: an agent has one element, and async waits would have to share it (`addressWaitUntilAsync` does what is wanted).
 * Throws as `addressWaitUntil`.
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
 */
export function locationWait(key: WaitKey, timeoutMs = Infinity): boolean {
  const { context, bucket, policy } = spotOf(key);
  return waitAtLocation(context, bucket, () => deadlineOf(context, timeoutMs), policy);
}

/** `locationWait` at a bucket; `deadline` is asked for when it comes to waiting. */
export function waitAtLocation(context: AgentContext, bucket: number, deadline: () => number, policy: Parameters<typeof sleepAtGate>[2]): boolean {
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

/** Off whatever chain it is in, woken or not. */
function takeAway(context: AgentContext, element: number): void {
  onChain.delete(context);
  leaveBucket(context, element);
}

/** Wakes all that wait at the key. After the change that they wait for. Throws as `addressSignal`. */
export function locationWakeAll(key: WaitKey): void {
  const { context, bucket } = spotOf(key);
  // No lost wake-up, the other end: the detaching comes after the caller's change, and the waiter's second look after its push.
  context.kernel.signalSlot(context.agent, bucket);
  context.finishWalk();
}
