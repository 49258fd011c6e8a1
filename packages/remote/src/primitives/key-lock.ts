// The lock of one key of a keyed mutex. It has no state of its own.

import type { WaitOptions } from '@sluice/core';
import { INSPECT, refusePosting } from '@sluice/core/calls';
import type { RemoteGuard } from './guard.ts';
import { UNPOSTABLE } from './unpostable.ts';

/** The interface of a keyed mutex for the locks of its keys. */
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
 * The lock of one key of a `RemoteKeyedMutex`. `RemoteKeyedMutex.at` returns it. Its methods are those of the mutex,
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

  /** Whether this process holds the key through the keyed mutex that returned this lock. */
  get owned(): boolean {
    return this.#mutex.owns(this.key);
  }

  /** Locks the key as `RemoteKeyedMutex.lockAsync` does. */
  lockAsync(options?: WaitOptions): Promise<void> {
    return this.#mutex.lockAsync(this.key, options);
  }

  /** Locks the key as `RemoteKeyedMutex.tryLock` does. */
  tryLock(timeoutMs?: number): Promise<boolean> {
    return this.#mutex.tryLock(this.key, timeoutMs);
  }

  /** Unlocks the key as `RemoteKeyedMutex.unlock` does. */
  unlock(): Promise<void> {
    return this.#mutex.unlock(this.key);
  }

  /** Locks the key as `RemoteKeyedMutex.holdAsync` does. */
  holdAsync(options?: WaitOptions): Promise<RemoteGuard> {
    return this.#mutex.holdAsync(this.key, options);
  }

  /** Locks the key as `RemoteKeyedMutex.tryHold` does. */
  tryHold(timeoutMs?: number): Promise<RemoteGuard | null> {
    return this.#mutex.tryHold(this.key, timeoutMs);
  }

  /** Runs `body` with the key locked as `RemoteKeyedMutex.runAsync` does. */
  runAsync<T>(body: (guard: RemoteGuard) => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    return this.#mutex.runAsync(this.key, body, options);
  }

  [INSPECT](): string {
    return `RemoteKeyLock { of: '${this.#mutex.toString()}', key: ${JSON.stringify(this.key)} }`;
  }
}
