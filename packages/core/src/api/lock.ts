// The interfaces that all locks implement, and their scoped forms.

import { checkAsyncBody, checkBody, refusePromise } from './run-body.ts';
import { INSPECT } from './console-text.ts';
import { Guard } from './guard.ts';
import type { NotPromise } from './not-promise.ts';
import { reserveStack } from '../platform/reserve-stack.ts';
import type { WaitOptions } from './wait-options.ts';

/** A lock that blocks the calling thread while it waits. */
export interface Lock {
  /** Acquires the lock, blocking the calling thread until it is available. */
  lock(): void;
  /**
   * Acquires the lock if it becomes available within `timeoutMs` ms (default 0: does not wait); returns whether it did.
   */
  tryLock(timeoutMs?: number): boolean;
  /** Releases the lock. */
  unlock(): void;
}

/** A lock that an agent can wait for without blocking its thread. */
export interface AsyncLock {
  /** Acquires the lock without blocking; the promise resolves when the caller holds it. */
  lockAsync(options?: WaitOptions): Promise<void>;
  /** Releases the lock. */
  unlock(): void;
}

/**
 * A lock with the scoped forms `hold` and `run`, which release it for the caller. A subclass implements the four
 * operations.
 *
 * ```ts run
 * import { Region, Semaphore } from '@sluice/core';
 *
 * const lock = Semaphore.create(1).asLock();
 * const tally = Region.create(4).int32;
 * console.log(lock.run(() => (tally[0] += 1))); // 1
 * ```
 */
export abstract class Holdable implements Lock, AsyncLock {
  abstract lock(): void;
  abstract tryLock(timeoutMs?: number): boolean;
  abstract lockAsync(options?: WaitOptions): Promise<void>;
  abstract unlock(): void;

  /** The title that messages use. */
  toString(): string {
    return this.constructor.name;
  }

  [INSPECT](): string {
    return this.toString();
  }

  /** Acquires the lock as `lock` does; returns a guard that releases it. */
  hold(): Guard {
    reserveStack();
    this.lock();
    return new Guard(this);
  }

  /**
   * Acquires the lock as `tryLock` does; returns a guard, or `null` if the lock was not available within `timeoutMs`
   * ms.
   */
  tryHold(timeoutMs = 0): Guard | null {
    reserveStack();
    return this.tryLock(timeoutMs) ? new Guard(this) : null;
  }

  /** Acquires the lock as `lockAsync` does; resolves with a guard. */
  holdAsync(options?: WaitOptions): Promise<Guard> {
    return this.lockAsync(options).then(() => new Guard(this));
  }

  /**
   * Runs `body` with the lock held and returns its result; releases the lock even if `body` throws.
   *
   * An async function is refused before the lock is taken, because it would still run after the unlock. If `body`
   * returns a promise or another thenable, the call throws `MisuseError` after the unlock. The thenable is the `cause`
   * of that error; if it is a promise that rejects later, the reason is written to `console.error`. To return a promise
   * on purpose, wrap it in an object.
   *
   * @throws {MisuseError} If `body` is an async or generator function, or returns a thenable; use `runAsync`.
   */
  run<T>(body: () => NotPromise<T>): T {
    return runLocked(this, body);
  }

  /**
   * Runs `body` with the lock held until the promise that `body` returns settles; releases the lock even if it rejects.
   *
   * Rejects with `MisuseError` if `body` is a generator function.
   */
  runAsync<T>(body: () => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    return runLockedAsync(this, body, options);
  }
}

/** Runs `body` with `lock` held, as `run` of a lock without owners does. */
export function runLocked<T>(lock: Lock, body: () => NotPromise<T>): T {
  checkBody(body, lock);
  reserveStack();
  lock.lock();
  let result: T;
  try {
    result = body();
  } finally {
    lock.unlock();
  }
  return refusePromise(result, lock);
}

/** Runs `body` with `lock` held, as `runAsync` of a lock without owners does. */
export async function runLockedAsync<T>(
  lock: AsyncLock,
  body: () => T | PromiseLike<T>,
  options?: WaitOptions,
): Promise<T> {
  checkAsyncBody(body, lock);
  reserveStack();
  await lock.lockAsync(options);
  try {
    return await body();
  } finally {
    lock.unlock();
  }
}
