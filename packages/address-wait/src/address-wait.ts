// Waiting chains (Dice & Kogan, Listing 3): each waiter pushes an element of its own onto its key's chain, looks at its condition
// again, and parks on the element's gate. A signal detaches the chain and wakes the first, which wakes the one below, and so on.
//
//   waiter:    push the element · look again · park            signaller:  change the condition · detach the chain · wake its first
//
// The push comes before the second look, and the change before the detaching: so either the waiter sees the change, or the signaller
// finds its element. Both halves are needed, and in this order. The waiter's half is core's (channel/until.ts).

import type { WaitOptions } from '@sluice/core';
import { awaitAtBucket, checkWait, rejected, waitAtBucket, NEEDS_WALK } from '@sluice/core/internal';
import { spotOf, told, type WaitKey } from './key.ts';
import { checkCondition, deadlineOf } from './waits.ts';

const NO_OPTIONS: WaitOptions = {};

/**
 * Blocks until `satisfied` returns something truthy, and returns that; what it last returned when `timeoutMs` ran out before. Whoever
 * makes the condition true signals the key afterwards. `satisfied` is called at least once; before each sleep twice, and once more after
 * each wake-up, which may be one for nothing; never again after it returned something truthy. What it throws is thrown, and nothing
 * stays behind; a promise of it is refused with `TypeError`. It may wait itself, also for this key.
 *
 * Throws `TypeError`, `RangeError`, `MisuseError` (freed word; a browser's main thread), `ArenaFullError`.
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
 */
export function addressWaitUntil<T>(key: WaitKey, satisfied: () => T, timeoutMs = Infinity): T {
  const spot = spotOf(key);
  return waitAtBucket(spot, checkCondition(satisfied), deadlineOf(spot.context, timeoutMs));
}

/**
 * As `addressWaitUntil` without blocking: resolves with what `satisfied` returned. Rejects with what it throws, with `TimeoutError` and
 * the signal's reason; and as `addressWaitUntil` throws. While it waits it keeps the event loop alive, unless `ref` is false.
 */
export function addressWaitUntilAsync<T>(key: WaitKey, satisfied: () => T, options: WaitOptions = NO_OPTIONS): Promise<T> {
  try {
    const spot = spotOf(key);
    return awaitAtBucket(spot, checkCondition(satisfied), options === NO_OPTIONS ? options : checkWait(options), told(key, 'the condition did not hold'));
  } catch (failure) {
    return rejected(failure);
  }
}

/** Wakes all that wait for the key: each looks again. After the change that they wait for. Throws as `addressWaitUntil`. */
export function addressSignal(key: WaitKey): void {
  signal(key, 0);
}

/** As `addressSignal`; where nobody waits it only reads. */
export function addressSignalPolite(key: WaitKey): void {
  signal(key, 1);
}

function signal(key: WaitKey, polite: number): void {
  const { context, bucket } = spotOf(key);
  // No lost wake-up, the other end: the detaching comes after the caller's change (head of this file).
  if (context.kernel.signalChain(context.agent, bucket, polite) === NEEDS_WALK) context.finishWalk();
}
