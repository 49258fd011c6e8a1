// The rate of one key of a keyed rate limiter, with the calls of a rate limiter.

import { MisuseError, type WaitOptions } from '@sluice/core';
import { checkInteger, consoleText, INSPECT, MAX_PERMITS, PERMIT_CALLS, refusePosting } from '@sluice/core/calls';
import type { BlockingOptions } from '@sluice/limit/internal';
import { quoted } from '../table/key.ts';
import type { RateAnswer } from './key-rates.ts';

/** The calls of a keyed rate limiter, which take a key first. */
export interface RatesByKey {
  toString(): string;
  remaining(key: string): number;
  blockedFor(key: string): number;
  retryAfter(key: string, weight: number): number;
  penalty(key: string, permits: number): void;
  reward(key: string, permits: number): void;
  block(key: string, ms: number): void;
  unblock(key: string): void;
  reset(key: string): void;
  tryAcquire(key: string, weight: number, timeoutMs: number): boolean;
  consume(key: string, weight: number): RateAnswer;
  acquire(key: string, weight: number, options?: BlockingOptions): void;
  acquireAsync(key: string, weight: number, options?: WaitOptions): Promise<void>;
  run<T>(key: string, body: () => T, weight: number, options?: BlockingOptions): T;
  runAsync<T>(key: string, body: () => T | PromiseLike<T>, weight: number, options?: WaitOptions): Promise<T>;
}

/**
 * The rate of one key of a `KeyedRateLimiter`. `KeyedRateLimiter.for` returns it. It takes no memory in the arena, and
 * each of its calls is the call of the limiter with that key.
 */
export class KeyRate {
  readonly #limiter: RatesByKey;
  readonly #key: string;

  /** @internal */
  constructor(limiter: RatesByKey, key: string) {
    refusePosting(this);
    // A program may call the constructor.
    if ((limiter as unknown) === undefined)
      throw new MisuseError('Use KeyedRateLimiter.for: the constructor is not for callers.');
    this.#limiter = limiter;
    this.#key = key;
  }

  /** The key whose rate this is, as the caller named it. */
  get key(): string {
    return this.#key;
  }

  /** The number of permits that `tryAcquire` could take now. */
  get remaining(): number {
    return this.#limiter.remaining(this.#key);
  }

  /** The ms for which the key is still blocked. */
  get blockedFor(): number {
    return this.#limiter.blockedFor(this.#key);
  }

  /** Takes `weight` permits as `KeyedRateLimiter.tryAcquire` does. */
  tryAcquire(weight = 1, timeoutMs = 0): boolean {
    return this.#limiter.tryAcquire(this.#key, weight, timeoutMs);
  }

  /** Takes `weight` permits as `KeyedRateLimiter.consume` does. */
  consume(weight = 1): RateAnswer {
    return this.#limiter.consume(this.#key, weight);
  }

  /** Takes `weight` permits as `KeyedRateLimiter.acquire` does. */
  acquire(weight = 1, options?: BlockingOptions): void {
    this.#limiter.acquire(this.#key, weight, options);
  }

  /** Takes `weight` permits as `KeyedRateLimiter.acquireAsync` does. */
  async acquireAsync(weight = 1, options?: WaitOptions): Promise<void> {
    this.#checkWeight(weight);
    return this.#limiter.acquireAsync(this.#key, weight, options);
  }

  /** Takes permits and calls `body` as `KeyedRateLimiter.run` does. */
  run<T>(body: () => T, weight = 1, options?: BlockingOptions): T {
    return this.#limiter.run(this.#key, body, weight, options);
  }

  /** Takes permits and calls `body` as `KeyedRateLimiter.runAsync` does. */
  async runAsync<T>(body: () => T | PromiseLike<T>, weight = 1, options?: WaitOptions): Promise<T> {
    this.#checkWeight(weight);
    return this.#limiter.runAsync(this.#key, body, weight, options);
  }

  /** Returns the ms after which `tryAcquire(weight)` can succeed, as `KeyedRateLimiter.retryAfter` does. */
  retryAfter(weight = 1): number {
    return this.#limiter.retryAfter(this.#key, weight);
  }

  /** Takes permits as `KeyedRateLimiter.penalty` does. */
  penalty(permits = 1): void {
    this.#limiter.penalty(this.#key, permits);
  }

  /** Gives permits back as `KeyedRateLimiter.reward` does. */
  reward(permits = 1): void {
    this.#limiter.reward(this.#key, permits);
  }

  /** Blocks the key as `KeyedRateLimiter.block` does. */
  block(ms: number): void {
    this.#limiter.block(this.#key, ms);
  }

  /** Ends the block of the key. */
  unblock(): void {
    this.#limiter.unblock(this.#key);
  }

  /** Makes the burst of the key full, and ends its block. */
  reset(): void {
    this.#limiter.reset(this.#key);
  }

  /** Throws for options in place of the number: the message shows the calls of this object. */
  #checkWeight(weight: unknown): void {
    if (typeof weight !== 'number') checkInteger(`${this.#title}: weight`, weight, 1, MAX_PERMITS, PERMIT_CALLS);
  }

  get #title(): string {
    return `${this.#limiter.toString()}, key ${quoted(this.#key)}`;
  }

  [INSPECT](): string {
    return consoleText('KeyRate', () => ({ of: this.#limiter.toString(), key: this.#key, remaining: this.remaining }));
  }
}
