// The rate of one key of a remote keyed rate limiter. It has no state of its own.

import type { WaitOptions } from '@sluice/core';
import { INSPECT, refusePosting } from '@sluice/core/calls';
import { UNPOSTABLE } from '../primitives/unpostable.ts';
import type { RemoteRateAnswer } from './keyed-rate.ts';
import { keyTitle } from '../line/remote-key.ts';

/** The calls of a keyed rate limiter, which take a key first. */
interface RatesByKey {
  toString(): string;
  tryAcquire(key: string, weight?: number, timeoutMs?: number): Promise<boolean>;
  consume(key: string, weight?: number): Promise<RemoteRateAnswer>;
  acquireAsync(key: string, weight?: number, options?: WaitOptions): Promise<void>;
  runAsync<T>(key: string, body: () => T | PromiseLike<T>, weight?: number, options?: WaitOptions): Promise<T>;
  remaining(key: string): Promise<number>;
  retryAfter(key: string, weight?: number): Promise<number>;
  penalty(key: string, permits?: number): Promise<void>;
  reward(key: string, permits?: number): Promise<void>;
  block(key: string, ms: number): Promise<void>;
  unblock(key: string): Promise<void>;
  blockedFor(key: string): Promise<number>;
  reset(key: string): Promise<void>;
}

/**
 * The rate of one key of a `RemoteKeyedRateLimiter`, which `for` returns. Each of its calls is the call of the limiter
 * with that key.
 */
export class RemoteKeyRate {
  readonly key: string;
  readonly #limiter: RatesByKey;

  /** @internal */
  constructor(limiter: RatesByKey, key: string) {
    refusePosting(this, UNPOSTABLE);
    this.#limiter = limiter;
    this.key = key;
  }

  toString(): string {
    return keyTitle(this.#limiter.toString(), this.key);
  }

  /** The number of permits that `tryAcquire` could take now. */
  get remaining(): Promise<number> {
    return this.#limiter.remaining(this.key);
  }

  /** The ms for which the key is still blocked. */
  get blockedFor(): Promise<number> {
    return this.#limiter.blockedFor(this.key);
  }

  /** Takes `weight` permits as `RemoteKeyedRateLimiter.tryAcquire` does. */
  tryAcquire(weight?: number, timeoutMs?: number): Promise<boolean> {
    return this.#limiter.tryAcquire(this.key, weight, timeoutMs);
  }

  /** Takes `weight` permits as `RemoteKeyedRateLimiter.consume` does. */
  consume(weight?: number): Promise<RemoteRateAnswer> {
    return this.#limiter.consume(this.key, weight);
  }

  /** Takes `weight` permits as `RemoteKeyedRateLimiter.acquireAsync` does. */
  acquireAsync(weight?: number, options?: WaitOptions): Promise<void> {
    return this.#limiter.acquireAsync(this.key, weight, options);
  }

  /** Takes permits and calls `body` as `RemoteKeyedRateLimiter.runAsync` does. */
  runAsync<T>(body: () => T | PromiseLike<T>, weight?: number, options?: WaitOptions): Promise<T> {
    return this.#limiter.runAsync(this.key, body, weight, options);
  }

  /** Resolves with the ms after which `tryAcquire(weight)` can succeed. */
  retryAfter(weight?: number): Promise<number> {
    return this.#limiter.retryAfter(this.key, weight);
  }

  /** Takes permits without waiting as `RemoteKeyedRateLimiter.penalty` does. */
  penalty(permits?: number): Promise<void> {
    return this.#limiter.penalty(this.key, permits);
  }

  /** Gives permits back as `RemoteKeyedRateLimiter.reward` does. */
  reward(permits?: number): Promise<void> {
    return this.#limiter.reward(this.key, permits);
  }

  /** Blocks the key as `RemoteKeyedRateLimiter.block` does. */
  block(ms: number): Promise<void> {
    return this.#limiter.block(this.key, ms);
  }

  /** Ends the block of the key. */
  unblock(): Promise<void> {
    return this.#limiter.unblock(this.key);
  }

  /** Makes the burst of the key full, and ends its block. */
  reset(): Promise<void> {
    return this.#limiter.reset(this.key);
  }

  [INSPECT](): string {
    return `RemoteKeyRate { of: '${this.#limiter.toString()}', key: ${JSON.stringify(this.key)} }`;
  }
}
