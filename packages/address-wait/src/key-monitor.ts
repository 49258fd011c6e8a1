// Monitor and wait (Dice & Kogan, Listing 4), like MONITOR and MWAIT: one sequence number per bucket stands for every
// condition whose key maps to that bucket. A signal increments it before it detaches the chain.
//
//   waiter:      read the sequence · check the condition · push · read it again · park
//   signaller:   change the condition · increment the sequence · detach the chain
//
// The waiter reads the sequence before it checks its condition. So a change that it missed increments the sequence
// after that read, and the waiter does not sleep. If the waiter checked its condition first, the signaller could change
// it, increment the sequence and detach an empty chain before the read. The waiter would take the new sequence for the
// old one, and sleep.

import type { WaitOptions } from '@sluice/core';
import { NEEDS_WALK, type BucketAddress } from '@sluice/core/format';
import { checkInteger, checkWait, NO_WAIT_OPTIONS, rejected, reserveStack } from '@sluice/core/calls';
import { awaitAtBucket, waitAtBucket, type AgentContext } from '@sluice/core/internal';
import { spotOf, told, type WaitKey } from './key.ts';
import { deadlineOf } from './waits.ts';

/**
 * Returns the key's sequence number (an event count). Read it, check the condition, then call `keyWait` with it.
 *
 * @throws {TypeError} If `key` is not a key.
 * @throws {MisuseError} If the word was freed.
 */
export function keyMonitor(key: WaitKey): number {
  const { context, bucket } = spotOf(key);
  return context.kernel.sequence(bucket);
}

/**
 * Blocks while the key's sequence equals `sequence`, that is, until a signal to this key or to another key in the same
 * bucket. Returns true, or false if `timeoutMs` elapsed.
 *
 * ```ts run
 * import { keyMonitor, keySignal, keyWait, SharedWord } from '@sluice/address-wait';
 *
 * const word = SharedWord.create(0);
 * const sequence = keyMonitor(word);
 * if (word.load() === 0) console.log(keyWait(word, sequence, 10)); // false
 * word.store(1);
 * keySignal(word);
 * console.log(keyWait(word, sequence)); // true
 * ```
 *
 * @throws The errors of `addressWaitUntil`.
 */
export function keyWait(key: WaitKey, sequence: number, timeoutMs = Infinity): boolean {
  const spot = spotOf(key);
  checkSequence(sequence);
  return waitAtBucket(spot, hasMoved(spot.context, spot.bucket, sequence), deadlineOf(spot.context, timeoutMs));
}

/**
 * Waits as `keyWait` does, for loops without `keyMonitor`. Returns the sequence that it read last, for the next call.
 * If `sequence` is not the key's current one, as in the first call, returns at once. Check the condition after each
 * call.
 *
 * ```ts run
 * import { keySignal, keyWaitLazy, SharedWord } from '@sluice/address-wait';
 *
 * const word = SharedWord.create(0);
 * // Another thread stores 1 and signals the key; here it was before.
 * word.store(1);
 * keySignal(word);
 * let sequence = -1;
 * while (word.load() !== 1) sequence = keyWaitLazy(word, sequence);
 * console.log(word.load(), sequence); // 1 -1
 * ```
 */
export function keyWaitLazy(key: WaitKey, sequence: number, timeoutMs = Infinity): number {
  const { context, bucket } = spotOf(key);
  checkSequence(sequence);
  const now = context.kernel.sequence(bucket);
  if (now !== sequence) return now;
  keyWait(key, sequence, timeoutMs);
  return context.kernel.sequence(bucket);
}

/** Waits as `keyWait` does, without blocking. Rejects as `addressWaitUntilAsync` does. */
export async function keyWaitAsync(
  key: WaitKey,
  sequence: number,
  options: WaitOptions = NO_WAIT_OPTIONS,
): Promise<void> {
  try {
    const spot = spotOf(key);
    checkSequence(sequence);
    const checked = checkWait(options);
    await awaitAtBucket(spot, hasMoved(spot.context, spot.bucket, sequence), checked, told(key, 'no signal came'));
  } catch (failure) {
    return rejected(failure);
  }
}

function hasMoved({ kernel }: AgentContext, bucket: BucketAddress, sequence: number): () => boolean {
  return () => kernel.sequence(bucket) !== sequence;
}

/**
 * Increments the key's sequence and wakes all its waiters. Call it after you changed the value that the condition
 * reads.
 *
 * @throws The errors of `keyMonitor`.
 */
export function keySignal(key: WaitKey): void {
  signal(key, 0);
}

/** Signals as `keySignal` does, but does not write to the chain if no agent waits. */
export function keySignalPolite(key: WaitKey): void {
  signal(key, 1);
}

function signal(key: WaitKey, polite: number): void {
  const { context, bucket } = spotOf(key);
  reserveStack();
  // Lost wake-up, signaller side: increment after the caller's change, detach after that. Pairs with `keyMonitor`,
  // whose caller reads the sequence before its condition, and with `waitAtBucket`, which reads it again after its push.
  if (context.kernel.signalKey(context.agent, bucket, polite) === NEEDS_WALK) context.finishWalk();
}

/** Checks a sequence. -1 is a sequence that no key has, for `keyWaitLazy`. */
function checkSequence(sequence: number): void {
  checkInteger('sequence', sequence, -1, Number.MAX_SAFE_INTEGER);
}
