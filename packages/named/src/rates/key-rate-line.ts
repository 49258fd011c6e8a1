// The waiting calls of a keyed rate limiter. The line of a key is the mutex of its entry. The owner of the mutex is the
// head of the line: only the head reads the bucket and sleeps until its permits come. If the head dies, its recovery
// hands the mutex to the next waiter, which becomes the head.
//
// The head sleeps on the word CHANGES of its entry, until its permits come or for a second. An agent that gives permits
// back, or ends a block, changes and notifies that word. If it dies before that, the head looks again after a second.

import { hasCode, TimeoutError, type WaitOptions } from '@sluice/core';
import { OFFICE } from '@sluice/core/format';
import { offAbort, onAbort, refuseToBlock, throwIfAborted } from '@sluice/core/calls';
import { deadlineIn, mayBlock, napOnWord, napOnWordAsync, type AgentContext } from '@sluice/core/internal';
import { TICKS_PER_MS } from '@sluice/limit/internal';
import { quoted } from '../table/key.ts';
import type { KeyRates, KnownRate } from './key-rates.ts';
import type { EntryLock, Locks } from '../table/locks.ts';
import { bucketAt, CHANGES } from './rate-entries.ts';

export class KeyRateLine {
  readonly #rates: KeyRates;
  readonly #locks: Locks;

  constructor(rates: KeyRates, locks: Locks) {
    this.#rates = rates;
    this.#locks = locks;
  }

  /**
   * Waits in line and takes permits that cost `cost` ticks. Blocks the thread. Returns whether they came within
   * `timeoutMs`.
   */
  block(key: string, cost: number, timeoutMs: number): boolean {
    if (!mayBlock()) refuseToBlock();
    const { parking, words } = this.#context;
    const deadline = deadlineIn(parking, timeoutMs);
    let since = 0;
    const joins = (entry: number): boolean => {
      since = this.#joinedAt(key, entry);
      // An async call of this agent is the head. It could not go on while this agent is blocked.
      if (timeoutMs === Infinity && words.load32(entry + OFFICE) === this.#context.id)
        throw this.#locks.open(entry).errors.deadlock(1);
      return false;
    };
    const lock = this.#rates.withRoom(() => this.#locks.take(key, timeoutMs, joins));
    if (lock === undefined) return false;
    try {
      const found = this.#rates.foundAt(key, lock.entry);
      const word = bucketAt(lock.entry) + CHANGES;
      for (;;) {
        const seen = words.load32(word);
        const ms = this.#rates.takeAtHead(found, cost, since) / TICKS_PER_MS;
        if (ms === 0) return true;
        // A waiter that would be late leaves at once, so that it does not delay the waiters behind it.
        if (parking.now() + ms > deadline) return false;
        napOnWord(this.#context, word, seen, ms);
      }
    } finally {
      this.#leave(key);
    }
  }

  /**
   * Waits as `block` does, without blocking the thread, then leaves the line and calls `act`. Resolves with its result.
   * Rejects with `TimeoutError` if the permits would come too late. The caller has checked `options`.
   */
  async wait<T>(key: string, cost: number, options: WaitOptions, act: () => T): Promise<T> {
    const { timeout = Infinity } = options;
    const deadline = deadlineIn(this.#context.parking, timeout);
    let since = 0;
    const joins = (entry: number): boolean => {
      since = this.#joinedAt(key, entry);
      return false;
    };
    const { entry, errors } = await this.#enter(key, options, joins);
    let isDone: boolean;
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      this.#leave(key);
    };
    try {
      // Leaves within the abort, because the limiter may be freed right after it.
      onAbort(options.signal, leave);
      isDone = await this.#takeAtHead(this.#rates.foundAt(key, entry), { cost, since, deadline, options });
    } finally {
      offAbort(options.signal, leave);
      leave();
    }
    // Created after the call has left the line, so that the message names only the agents before it.
    if (!isDone) throw errors.timedOut(timeout, 0);
    return act();
  }

  /** Creates the error of a blocking call whose permits did not come within `timeout` ms. */
  late(key: string, timeout: number): TimeoutError {
    const { keys } = this.#rates;
    return new TimeoutError(
      `${keys.title}, key ${quoted(key)}, gave no permit within ${timeout} ms. No permit was taken.`,
    );
  }

  get #context(): AgentContext {
    return this.#rates.keys.context;
  }

  /** Returns the agreed time at which a call joins the line. */
  #joinedAt(key: string, entry: number): number {
    return this.#rates.foundAt(key, entry).bucket.agreed();
  }

  /** Waits until this call is the head of the line. */
  async #enter(key: string, options: WaitOptions, joins: (entry: number) => boolean): Promise<EntryLock> {
    let lock: EntryLock | undefined;
    const enter = (): Promise<void> => this.#locks.takeAsync(key, options, (taken) => void (lock = taken), joins);
    try {
      await enter();
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_ARENA_FULL')) throw failure;
      this.#rates.sweep();
      await enter();
    }
    return lock as unknown as EntryLock;
  }

  async #takeAtHead(found: KnownRate, { cost, since, deadline, options }: HeadCall): Promise<boolean> {
    const { parking, words } = this.#context;
    const word = bucketAt(found.entry) + CHANGES;
    for (;;) {
      throwIfAborted(options.signal);
      const seen = words.load32(word);
      const ms = this.#rates.takeAtHead(found, cost, since) / TICKS_PER_MS;
      if (ms === 0) return true;
      if (parking.now() + ms > deadline) return false;
      await napOnWordAsync(this.#context, word, seen, ms, options);
    }
  }

  #leave(key: string): void {
    this.#locks.release(key, () => `${this.#rates.keys.title}, key ${quoted(key)}`);
  }
}

interface HeadCall {
  readonly cost: number;
  readonly since: number;
  readonly deadline: number;
  readonly options: WaitOptions;
}
