// Waiting on a word itself, as WaitOnAddress does (Chen). It uses the platform's own queue of the word, and no element
// in a chain.
//
// A thread is counted at the word's bucket before it sleeps, and then the platform compares the word again. A thread
// that changes the word reads the count afterwards. So a word without sleepers costs no notify, and no wake-up is lost.
//
// Async waits wait in the key's chain, not in the platform's queue. A cancelled async wait could not be removed from
// that queue, and would consume a wake-up meant for another waiter.

import type { WaitOptions } from '@sluice/core';
import { SLEEPERS, NEEDS_WALK } from '@sluice/core/format';
import { checkInteger, reserveStack } from '@sluice/core/calls';
import { sleepOnWord } from '@sluice/core/internal';
import { addressWaitUntilAsync } from './address-wait.ts';
import { checkWord, spotOf } from './key.ts';
import { addressOfWord, type SharedWord } from './shared-word.ts';
import { deadlineOf } from './waits.ts';

/**
 * Blocks while the word equals `expected`, until a thread that changed it wakes the caller (a futex wait). Returns
 * true, or false if `timeoutMs` elapsed. Wake-ups may be spurious: check the word again.
 *
 * ```ts run
 * import { SharedWord, waitOnAddress, wakeByAddressSingle } from '@sluice/address-wait';
 *
 * const word = SharedWord.create(0);
 * console.log(waitOnAddress(word, 0, 10)); // false
 * // In another thread: word.store(1); wakeByAddressSingle(word);
 * word.store(1);
 * wakeByAddressSingle(word);
 * while (word.load() === 0) waitOnAddress(word, 0);
 * console.log(word.load()); // 1
 * ```
 *
 * @throws The errors of `addressWaitUntil`.
 */
export function waitOnAddress(word: SharedWord, expected: number, timeoutMs = Infinity): boolean {
  checkWord(word);
  const { context, bucket } = spotOf(word);
  checkExpected(expected);
  const deadline = deadlineOf(context, timeoutMs);
  const address = addressOfWord(word);
  if (context.words.load32(address) !== expected) return true;
  return timeoutMs !== 0 && sleepOnWord(context, bucket + SLEEPERS, address, expected, deadline);
}

/**
 * Waits as `waitOnAddress` does, without blocking; resolves when the word no longer equals `expected`. Rejects as
 * `addressWaitUntilAsync` does.
 */
export async function waitOnAddressAsync(word: SharedWord, expected: number, options?: WaitOptions): Promise<void> {
  checkWord(word);
  checkExpected(expected);
  await addressWaitUntilAsync(word, () => word.load() !== expected, options);
}

/**
 * Wakes one thread that blocks on the word, and all async waits on it. Call it after the change of the word.
 *
 * @throws The errors of `addressSignal`.
 */
export function wakeByAddressSingle(word: SharedWord): void {
  wake(word, 1);
}

/**
 * Wakes all waiters of the word. Call it after the change of the word.
 *
 * @throws The errors of `addressSignal`.
 */
export function wakeByAddressAll(word: SharedWord): void {
  wake(word);
}

function wake(word: SharedWord, count?: number): void {
  checkWord(word);
  const { context, bucket } = spotOf(word);
  reserveStack();
  if (context.words.load32(bucket + SLEEPERS) !== 0) context.parking.notify(addressOfWord(word), count);
  if (context.kernel.signalChain(context.agent, bucket, 1) === NEEDS_WALK) context.finishWalk();
}

function checkExpected(expected: number): void {
  checkInteger('expected', expected, -(2 ** 31), 2 ** 31 - 1);
}
