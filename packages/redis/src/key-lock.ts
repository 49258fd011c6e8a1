// The lock of one key of a keyed mutex. It has no state of its own.

import type { WaitOptions } from '@sluice/core';
import { INSPECT, refusePosting } from '@sluice/core/internal';
import type { RemoteGuard } from './guard.ts';
import { UNPOSTABLE } from './unpostable.ts';

/** The keyed mutex, as the lock of one of its keys sees it. */
interface LocksByKey {
  toString(): string;
  owns(key: string): boolean;
  lockAsync(key: string, options?: WaitOptions): Promise<void>;
  tryLock(key: string, timeoutMs?: number): Promise<boolean>;
  unlock(key: string): Promise<void>;
  holdAsync(key: string, options?: WaitOptions): Promise<RemoteGuard>;
  tryHold(key: string, timeoutMs?: number): Promise<RemoteGuard | null>;
  runAsync<T>(key: string, body: (guard: RemoteGuard) => T | PromiseLike<T>, options?: WaitOptions): Promise<T>;
}

/**
 * The lock of one key of a `RemoteKeyedMutex`: what `RemoteKeyedMutex.at` returns. Its methods are those of the mutex,
 * for this key.
 */
export class RemoteKeyLock {
  readonly key: string;
  readonly #mutex: LocksByKey;

  /** @internal */
  constructor(mutex: LocksByKey, key: string) {
    refusePosting(this, UNPOSTABLE);
    this.#mutex = mutex;
    this.key = key;
  }

  toString(): string {
    return `${this.#mutex.toString()}, key ${JSON.stringify(this.key)}`;
  }

  /** Whether this process holds the key, through the keyed mutex of which this is a lock. */
  get owned(): boolean {
    return this.#mutex.owns(this.key);
  }

  /** As `RemoteKeyedMutex.lockAsync`. */
  lockAsync(options?: WaitOptions): Promise<void> {
    return this.#mutex.lockAsync(this.key, options);
  }

  /** As `RemoteKeyedMutex.tryLock`. */
  tryLock(timeoutMs?: number): Promise<boolean> {
    return this.#mutex.tryLock(this.key, timeoutMs);
  }

  /** As `RemoteKeyedMutex.unlock`. */
  unlock(): Promise<void> {
    return this.#mutex.unlock(this.key);
  }

  /** As `RemoteKeyedMutex.holdAsync`. */
  holdAsync(options?: WaitOptions): Promise<RemoteGuard> {
    return this.#mutex.holdAsync(this.key, options);
  }

  /** As `RemoteKeyedMutex.tryHold`. */
  tryHold(timeoutMs?: number): Promise<RemoteGuard | null> {
    return this.#mutex.tryHold(this.key, timeoutMs);
  }

  /** As `RemoteKeyedMutex.runAsync`. */
  runAsync<T>(body: (guard: RemoteGuard) => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    return this.#mutex.runAsync(this.key, body, options);
  }

  [INSPECT](): string {
    return `RemoteKeyLock { of: '${this.#mutex.toString()}', key: ${JSON.stringify(this.key)} }`;
  }
}
