// Waiting chains (Dice & Kogan, Listing 3): each waiter pushes an element of its own onto its key's chain, checks its
// condition again, and parks on the element's gate. A signal detaches the chain and wakes the first waiter, which wakes
// the one below, and so on.
//
//   waiter:      push the element · check again · park
//   signaller:   change the condition · detach the chain · wake its first
//
// The waiter pushes before its second check. The signaller changes the condition before it detaches. So either the
// waiter sees the change, or the signaller finds its element. Both halves are needed, in this order. The waiter's half
// is in core (line/chain-wait.ts). If the signaller detached first, it could detach an empty chain; the waiter would
// push its element, check the old condition and park; then the condition would change.

import type { WaitOptions } from '@sluice/core';
import { NEEDS_WALK } from '@sluice/core/format';
import { checkWait, NO_WAIT_OPTIONS, rejected, reserveStack } from '@sluice/core/calls';
import { awaitAtBucket, waitAtBucket } from '@sluice/core/internal';
import { spotOf, told, type WaitKey } from './key.ts';
import { checkCondition, deadlineOf } from './waits.ts';

/**
 * Blocks until `satisfied` returns a truthy value, and returns that value (a condition wait on an address, as a futex).
 * If `timeoutMs` elapses first, returns the last value of `satisfied`. The thread that makes the condition true must
 * signal the key afterwards.
 *
 * `satisfied` is called at least once: twice before each sleep and once after each wake-up, which may be spurious. It
 * is not called again after it returned a truthy value. If it throws, the call throws that error and leaves nothing
 * behind. If it returns a promise, the call throws `TypeError`. `satisfied` itself may wait, even for this key.
 *
 * ```ts run
 * import { addressSignal, addressWaitUntil, SharedWord } from '@sluice/address-wait';
 *
 * const word = SharedWord.create(0);
 * // In another thread: word.store(1); addressSignal(word);
 * console.log(addressWaitUntil(word, () => word.load() === 1, 10)); // false
 * word.store(1);
 * addressSignal(word);
 * console.log(addressWaitUntil(word, () => word.load() === 1)); // true
 * ```
 *
 * @throws {TypeError} If an argument has the wrong type, or `satisfied` returns a promise.
 * @throws {RangeError} If `timeoutMs` is out of range.
 * @throws {MisuseError} If the word was freed. Also on a browser's main thread; use `addressWaitUntilAsync`.
 * @throws {ArenaFullError} If the arena has no room for the waiter.
 */
export function addressWaitUntil<T>(key: WaitKey, satisfied: () => T, timeoutMs = Infinity): T {
  const spot = spotOf(key);
  return waitAtBucket(spot, checkCondition(satisfied), deadlineOf(spot.context, timeoutMs));
}

/**
 * Waits as `addressWaitUntil` does, without blocking; resolves with the value of `satisfied`. Rejects with errors of
 * `satisfied`, with `TimeoutError`, with the signal's reason, and with the errors of `addressWaitUntil`. While it waits
 * it keeps the event loop alive, unless `ref` is false.
 */
export function addressWaitUntilAsync<T>(
  key: WaitKey,
  satisfied: () => T,
  options: WaitOptions = NO_WAIT_OPTIONS,
): Promise<T> {
  try {
    const spot = spotOf(key);
    return awaitAtBucket(spot, checkCondition(satisfied), checkWait(options), told(key, 'the condition did not hold'));
  } catch (failure) {
    return rejected(failure);
  }
}

/**
 * Wakes all waiters of the key; each checks its condition again. Call it after you changed the value that the
 * condition reads.
 *
 * @throws The errors of `addressWaitUntil`.
 */
export function addressSignal(key: WaitKey): void {
  signal(key, 0);
}

/** Signals as `addressSignal` does, but only reads if no agent waits. */
export function addressSignalPolite(key: WaitKey): void {
  signal(key, 1);
}

function signal(key: WaitKey, polite: number): void {
  const { context, bucket } = spotOf(key);
  reserveStack();
  // Lost wake-up, signaller side: detach after the caller's change. Pairs with `enterBucket` and the check after it in
  // `waitAtBucket` (core: line/chain-wait.ts).
  if (context.kernel.signalChain(context.agent, bucket, polite) === NEEDS_WALK) context.finishWalk();
}
