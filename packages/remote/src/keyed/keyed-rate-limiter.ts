// A rate for each key, over all processes of a namespace. The steps of a rate have the algorithm.

import { hasCode, UnsupportedError, type WaitOptions } from '@sluice/core';
import {
  checkAsyncBody,
  checkInteger,
  checkTimeout,
  checkWait,
  INSPECT,
  MAX_PERMITS,
  NO_WAIT_OPTIONS,
  refusePosting,
  show,
} from '@sluice/core/calls';
import type { Timing } from '../engine/timing.ts';
import type { Request } from '../session/local-waiters.ts';
import { withBounds } from '../session/wait-bounds.ts';
import type { RateLine } from '../line/rate-line.ts';
import { checkRate, TICKS_PER_MS, type RemoteRateOptions } from '../line/rate.ts';
import type { Namespace } from '../primitives/namespace.ts';
import { UNPOSTABLE } from '../primitives/unpostable.ts';
import { KeyedRate, STAYS, type RemoteRateAnswer } from './keyed-rate.ts';
import { RemoteKeyRate } from './key-rate.ts';

/** A key that no session uses stays on the server for at most this time. */
const MAX_KEPT_MS = 345_600_000;
const CALLS: readonly string[] = [
  'acquireAsync(key, 1, OPTIONS)',
  'runAsync(key, body, 1, OPTIONS)',
  'tryAcquire(key, 1, timeoutMs)',
];

export interface RemoteKeyedRateLimiterReport {
  readonly kind: 'keyed-rate-limiter';
  readonly name: string;
  readonly permits: number;
  /** In ms. */
  readonly interval: number;
  readonly burst: number;
  /** The keys for which calls wait, with the number of these calls, of all processes. */
  readonly keys: readonly { readonly key: string; readonly waiting: number }[];
}

/**
 * Lets calls through at a rate for each key, `permits` in each `interval` for a user, an address or a tenant, counted
 * over all processes of a namespace. Made by `space.keyedRateLimiter`. Keys are strings of at most 4,096 UTF-16 code
 * units.
 *
 * - Each key has the promises of a `RemoteRateLimiter`: the bound for every window of time, and FIFO order among the
 *   calls for the key. A call that gives up takes nothing.
 * - A call that need not wait is one command, and makes no session a user of the key. If its reply is lost, it is sent
 *   again, and may take its permits twice. It never takes too few.
 * - A key takes memory of the server until its burst is full again and its block is over.
 */
export class RemoteKeyedRateLimiter {
  readonly name: string;
  /** The number of permits of a key in each interval. */
  readonly permits: number;
  /** The length of an interval in ms. */
  readonly interval: number;
  /** The largest number of permits of a key that can be taken at once. */
  readonly burst: number;
  readonly #rate: KeyedRate;
  readonly #timing: Timing;
  readonly #request: Request;

  /** @internal */
  constructor(space: Namespace, name: string, options: RemoteRateOptions, timing: Timing, request: Request) {
    refusePosting(this, UNPOSTABLE);
    const title = `KeyedRateLimiter '${name}'`;
    const rate = checkRate(title, options);
    if ((rate.burst * rate.cost) / TICKS_PER_MS > MAX_KEPT_MS)
      throw new RangeError(
        `${title}: a burst must be full again within 4 days, because the server keeps a key for at most that time: received ${rate.burst} permits at ${rate.permits} in ${rate.interval} ms`,
      );
    this.#rate = new KeyedRate(space, name, title, rate);
    this.#timing = timing;
    this.#request = request;
    this.name = name;
    ({ permits: this.permits, interval: this.interval, burst: this.burst } = rate);
  }

  toString(): string {
    return this.#rate.title;
  }

  /**
   * Returns the rate of a key as an object, for code that takes a rate limiter.
   *
   * @throws {TypeError} If the key is not a string.
   * @throws {RangeError} If the key is too long.
   */
  for(key: string): RemoteKeyRate {
    this.#rate.lineOf(key);
    return new RemoteKeyRate(this, key);
  }

  /**
   * Takes `weight` permits of a key if they are available within `timeoutMs`. Resolves with whether it took them.
   *
   * With 0, the default, the call does not wait, and takes nothing while another call for the key waits.
   *
   * @param weight - 1 to `burst`.
   */
  async tryAcquire(key: string, weight = 1, timeoutMs = 0): Promise<boolean> {
    const line = this.#lineOf(key, weight);
    checkTimeout(timeoutMs);
    if (timeoutMs === 0) return (await this.#rate.draw(line, weight)).taken;
    try {
      await this.#acquire(key, line, weight, { timeout: timeoutMs });
      return true;
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_TIMEOUT')) return false;
      throw failure;
    }
  }

  /**
   * Takes `weight` permits of a key if they are available now. Resolves with whether it took them, how many are left,
   * and after how many ms the same call can succeed. The header `Retry-After` is in seconds: divide by 1000 and round
   * up.
   *
   * @param weight - 1 to `burst`.
   */
  async consume(key: string, weight = 1): Promise<RemoteRateAnswer> {
    return this.#rate.draw(this.#lineOf(key, weight), weight);
  }

  /**
   * Takes `weight` permits of a key. The promise resolves when they are taken. Rejects with the errors of
   * `RemoteRateLimiter.acquireAsync`.
   *
   * @param weight - 1 to `burst`.
   */
  async acquireAsync(key: string, weight = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const line = this.#lineOf(key, weight);
    await this.#acquire(key, line, weight, checkWait(options));
  }

  /** Takes permits as `acquireAsync` does, then calls `body` and settles as its result does. */
  async runAsync<T>(
    key: string,
    body: () => T | PromiseLike<T>,
    weight = 1,
    options: WaitOptions = NO_WAIT_OPTIONS,
  ): Promise<T> {
    checkAsyncBody(body, this);
    await this.acquireAsync(key, weight, options);
    return body();
  }

  /**
   * Resolves with the number of permits of a key that `tryAcquire` could take now. 0 while a call for the key waits, and
   * while the key is blocked.
   */
  async remaining(key: string): Promise<number> {
    return this.#rate.remaining(key);
  }

  /** Resolves with the earliest time after which `tryAcquire(key, weight)` can succeed, in whole ms. 0: now. */
  async retryAfter(key: string, weight = 1): Promise<number> {
    this.#lineOf(key, weight);
    return this.#rate.retryAfter(key, weight);
  }

  /**
   * Takes `permits` from a key without waiting. If fewer are available, later calls for the key wait until the missing
   * ones have come. If that would take longer than 4 days, rejects with `RangeError` and takes nothing.
   *
   * @param permits - 1 to 2^31 − 1.
   */
  async penalty(key: string, permits = 1): Promise<void> {
    await this.#rate.adjust(key, this.#points(permits), STAYS);
  }

  /**
   * Gives `permits` back to a key, up to its full burst. A call that waits for them goes on.
   *
   * @param permits - 1 to 2^31 − 1.
   */
  async reward(key: string, permits = 1): Promise<void> {
    await this.#rate.adjust(key, -this.#points(permits), STAYS);
  }

  /**
   * Blocks a key: for `ms` from now, no call takes a permit of it. Meanwhile new permits still come. A later block
   * replaces an earlier one.
   *
   * @param ms - Milliseconds, 0 to 345,600,000 (4 days): the server keeps a key for at most that time.
   */
  async block(key: string, ms: number): Promise<void> {
    if (typeof ms !== 'number') throw new TypeError(`${this.#rate.title}: ms must be a number: received ${show(ms)}`);
    if (!(ms >= 0 && ms <= MAX_KEPT_MS))
      throw new RangeError(`${this.#rate.title}: a block may last for 0 to ${MAX_KEPT_MS} ms: received ${ms}`);
    await this.#rate.adjust(key, 0, Math.ceil(ms));
  }

  /** Ends the block of a key. */
  async unblock(key: string): Promise<void> {
    await this.#rate.adjust(key, 0, 0);
  }

  /** Resolves with the ms for which a key is still blocked. 0: it is not. */
  async blockedFor(key: string): Promise<number> {
    return this.#rate.blockedFor(key);
  }

  /** Makes the burst of a key full, and ends its block. */
  async reset(key: string): Promise<void> {
    await this.#rate.adjust(key, -MAX_PERMITS, 0);
  }

  /** Resolves with a snapshot: the keys for which calls wait. The server has no list of the other keys. */
  async inspect(): Promise<RemoteKeyedRateLimiterReport> {
    const { permits, interval, burst, name } = this;
    const keys = (await this.#rate.waited()).map(({ key, waiting }) => ({ key, waiting }));
    return { kind: 'keyed-rate-limiter', name, permits, interval, burst, keys };
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  acquire(): never {
    throw this.#blocks('acquireAsync');
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  run(): never {
    throw this.#blocks('runAsync');
  }

  [INSPECT](): string {
    return `RemoteKeyedRateLimiter { name: '${this.name}', permits: ${this.permits}, interval: ${this.interval}, burst: ${this.burst} }`;
  }

  /** Takes permits at once, or waits for them. The timeout and the signal bound both calls together. */
  async #acquire(key: string, line: RateLine, weight: number, options: WaitOptions): Promise<void> {
    const { timeout = 0 } = options;
    const began = this.#timing.now();
    const timedOut = (): Error => line.timedOut(weight, timeout);
    const drawing = this.#rate.draw(line, weight);
    let answer: RemoteRateAnswer;
    try {
      answer = await withBounds(drawing, this.#timing, options, timedOut, began);
    } catch (failure) {
      // The caller has given up. Permits that the call still takes go back.
      drawing.then(({ taken }) => (taken ? this.#rate.adjust(key, -weight, STAYS) : undefined)).catch(() => undefined);
      throw failure;
    }
    if (!answer.taken) await this.#wait(line, weight, options, began);
  }

  async #wait(line: RateLine, weight: number, options: WaitOptions, began: number): Promise<void> {
    // Without a wait there is nothing to gain: the call has just found no permits.
    const grant = options.timeout === 0 ? undefined : await this.#request(line, weight, options, began);
    if (grant === undefined) throw line.timedOut(weight, 0);
    grant.session.use(grant.seq);
    grant.session.forget(line, grant.seq);
  }

  #lineOf(key: string, weight: number): RateLine {
    checkInteger(`${this.#rate.title}: weight`, weight, 1, this.burst, CALLS);
    return this.#rate.lineOf(key);
  }

  #points(permits: number): number {
    return checkInteger(`${this.#rate.title}: permits`, permits, 1, MAX_PERMITS);
  }

  #blocks(instead: string): UnsupportedError {
    return new UnsupportedError(`${this.#rate.title} is on a server, so no thread can block on it: use ${instead}.`);
  }
}
