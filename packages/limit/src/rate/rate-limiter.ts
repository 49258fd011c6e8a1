// A rate limiter: takes and books permits, with or without a wait. The words and the algorithm are in kernel/rate.ts,
// the line in rate-limiter-line.ts.

import type { WaitOptions } from '@sluice/core';
import { SHUT } from '@sluice/core/format';
import {
  checkAsyncBody,
  checkTimeout,
  checkWait,
  NO_WAIT_OPTIONS,
  refuseToBlock,
  rejected,
  threadClock,
  throwIfAborted,
  type Clock,
} from '@sluice/core/calls';
import { mayBlock } from '@sluice/core/internal';
import { Bookings } from './bookings.ts';
import { NOT_IN_LINE } from './bucket.ts';
import { createParts, openParts, type RateLimiterParts, type RateLimiterHandle } from './handle.ts';
import { checkBlocking, type BlockingOptions, type RateLimiterOptions } from './options.ts';
import type { RateAttempt } from './rate-limiter-line.ts';
import { RateLimiterBlock } from './rate-limiter-block.ts';
import type { Reservation } from './reservation.ts';

const NOW = Promise.resolve();

let construct: (parts: RateLimiterParts) => RateLimiter;

/**
 * Lets calls through at a rate: `permits` in each `interval`, counted over all agents that share it (a token bucket, by
 * the generic cell rate algorithm).
 *
 * - In any window of t ms at most `burst` + (t + 5) · `permits` / `interval` permits are taken. After 5 ms
 *   without a call, at most `burst` + t · `permits` / `interval`. After a call that waited, the limiter makes up for
 *   its late timer, by at most 5 ms, because a late timer would lose permits for good.
 * - Callers are served in FIFO order, blocking and async callers together, whatever number of permits each wants.
 * - A caller that gives up takes nothing and delays no other caller. If a caller dies, its recovery moves the callers
 *   behind it up.
 * - Permits are used up. A caller does not release them: new ones come with time.
 *
 * It corresponds to `rate.Limiter` of Go's `golang.org/x/time`, over all threads.
 *
 * ```ts run
 * import { RateLimiter } from '@sluice/limit';
 *
 * const api = RateLimiter.create({ permits: 100, interval: 1000, burst: 2, name: 'api' });
 * console.log(api.tryAcquire(), api.tryAcquire(), api.tryAcquire()); // true true false
 * await api.acquireAsync(); // 10 ms later
 * console.log(api.retryAfter() > 0); // true
 * ```
 */
export class RateLimiter extends RateLimiterBlock {
  readonly #bookings: Bookings;

  static {
    construct = (parts) => new this(parts);
  }

  private constructor(parts: RateLimiterParts) {
    super(parts);
    this.#bookings = new Bookings(this.bucket, this.line, this.ref, this.errors);
  }

  /**
   * Creates a rate limiter, with `burst` permits available.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: RateLimiterOptions): RateLimiter {
    return construct(createParts(options, threadClock()));
  }

  /**
   * Opens the rate limiter that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live rate limiter.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: RateLimiterHandle, options: Pick<RateLimiterOptions, 'policy'> = {}): RateLimiter {
    return construct(openParts(handle, options, threadClock()));
  }

  /**
   * Takes `weight` permits if they are available within `timeoutMs`. Returns whether it took them.
   *
   * With 0, the default, the call does not wait, and takes nothing while another caller waits. With a timeout the
   * caller waits in line, as in `acquire`.
   *
   * @param weight - 1 to `burst`.
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  tryAcquire(weight = 1, timeoutMs = 0): boolean {
    const cost = this.costOf(weight);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const left = this.bucket.take(cost, NOT_IN_LINE);
    if (left === 0) return true;
    if (left === SHUT) throw this.shut();
    return timeoutMs === 0 ? false : this.line.block(this.#attempt(cost), timeoutMs);
  }

  /**
   * Takes `weight` permits, blocking the calling thread until they are available.
   *
   * At the head of the line, a caller whose permits would come after its timeout gives up at once. So it does not delay
   * the callers behind it. If the call throws, no permit was taken.
   *
   * @param weight - 1 to `burst`.
   * @throws {RangeError} If `weight` is out of range.
   * @throws {TimeoutError} If the permits do not come within `timeout` ms.
   * @throws {ClosedError} If the limiter is closed, before or during the wait.
   * @throws {MisuseError} On a browser's main thread; use `acquireAsync`.
   * @throws {DeadlockError} If an earlier async call of this agent waits, and the call has no timeout.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  acquire(weight = 1, options: BlockingOptions = NO_WAIT_OPTIONS): void {
    const timeout = checkBlocking(options);
    if (!mayBlock()) refuseToBlock();
    if (!this.tryAcquire(weight, timeout)) throw this.errors.timedOut(timeout, 0);
  }

  /**
   * Takes `weight` permits without blocking the thread. The promise resolves when they are taken.
   *
   * Waits in the same line as `acquire`. A pending call keeps the event loop alive, unless `ref` is `false`. If the
   * promise rejects, no permit was taken. It rejects with:
   *
   * - `RangeError` or `TypeError` if an argument is wrong;
   * - `TimeoutError` if the permits do not come within `timeout` ms, and `signal.reason` if the signal is aborted
   *   first;
   * - `ClosedError` if the limiter is closed, before or during the wait;
   * - `ArenaFullError` if the arena has no room for the waiter.
   *
   * @param weight - 1 to `burst`.
   */
  acquireAsync(weight = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    try {
      const cost = this.costOf(weight);
      const checked = checkWait(options);
      const left = this.bucket.take(cost, NOT_IN_LINE);
      if (left === 0) return this.ref.context.budget.done();
      if (left === SHUT) throw this.shut();
      return this.line.wait(this.#attempt(cost), checked, nothing);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /**
   * Books `weight` permits for the earliest time that the rate allows. Returns without waiting for that time.
   *
   * A booking overtakes no caller. While callers are in line, the thread waits in line, too, until its turn to book
   * comes.
   *
   * @param weight - 1 to `burst`.
   * @throws {RangeError} If `weight` is out of range, or the time is 17 years away or more.
   * @throws The other errors of `acquire`.
   */
  reserve(weight = 1, options: BlockingOptions = NO_WAIT_OPTIONS): Reservation {
    const cost = this.costOf(weight);
    return this.#bookings.block(weight, cost, checkBlocking(options));
  }

  /** Books permits as `reserve` does, without blocking the thread while callers wait. */
  async reserveAsync(weight = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<Reservation> {
    const cost = this.costOf(weight);
    return this.#bookings.wait(weight, cost, checkWait(options));
  }

  /**
   * Takes permits as `acquire` does, then calls `body` and returns its result. Permits are used up, so `body` may be an
   * async function.
   *
   * @throws {MisuseError} If `body` is a generator function.
   */
  run<T>(body: () => T, weight = 1, options: BlockingOptions = NO_WAIT_OPTIONS): T {
    checkAsyncBody(body, this);
    this.acquire(weight, options);
    return body();
  }

  /**
   * Takes permits as `acquireAsync` does, then calls `body` and settles as its result does.
   *
   * The permits are taken right before `body` is called. The code that called `runAsync` continues first.
   */
  async runAsync<T>(body: () => T | PromiseLike<T>, weight = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<T> {
    checkAsyncBody(body, this);
    const cost = this.costOf(weight);
    const checked = checkWait(options);
    await (this.ref.context.budget.spend() ?? NOW);
    throwIfAborted(checked.signal);
    const left = this.bucket.take(cost, NOT_IN_LINE);
    if (left === 0) return body();
    if (left === SHUT) throw this.shut();
    return this.line.wait(this.#attempt(cost), checked, body);
  }

  /** Returns the attempt of a caller that joins the line now. */
  #attempt(cost: number): RateAttempt {
    const { bucket } = this;
    const since = bucket.agreed();
    return () => {
      const left = bucket.take(cost, since);
      if (left === SHUT) throw this.shut();
      return left;
    };
  }
}

function nothing(): void {
  // The permits are taken.
}

/** Creates a rate limiter over existing words, or with another clock. For models and tests. */
export function rateLimiterOf(parts: RateLimiterParts): RateLimiter {
  return construct(parts);
}

/** Creates a rate limiter as `RateLimiter.create` does, with another clock. */
export function createWithClock(options: RateLimiterOptions, clock: Clock): RateLimiter {
  return construct(createParts(options, clock));
}

/** Opens a rate limiter as `RateLimiter.from` does, with another clock. */
export function openWithClock(handle: RateLimiterHandle, clock: Clock): RateLimiter {
  return construct(openParts(handle, {}, clock));
}
