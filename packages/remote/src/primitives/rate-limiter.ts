// A rate limiter over all processes of a namespace. The steps of a rate have the algorithm.

import { hasCode, UnsupportedError, type WaitOptions } from '@sluice/core';
import {
  checkAsyncBody,
  checkInteger,
  checkTimeout,
  checkWait,
  INSPECT,
  NO_WAIT_OPTIONS,
  PERMIT_CALLS,
  refusePosting,
} from '@sluice/core/calls';
import type { Request } from '../session/local-waiters.ts';
import type { Grant } from '../session/grant.ts';
import { BOOKS, type RateLine } from '../line/rate-line.ts';
import { readGauge, reportRate, untilFree, type Gauge, type RemoteRateLimiterReport } from '../report/rate-report.ts';
import { RemoteReservation } from './reservation.ts';
import type { Namespace } from './namespace.ts';
import type { Timing } from '../engine/timing.ts';
import { UNPOSTABLE } from './unpostable.ts';

/**
 * Lets calls through at a rate: `permits` in each `interval`, counted over all processes of a namespace (a token
 * bucket, by the generic cell rate algorithm). Made by `space.rateLimiter`.
 *
 * - In any window of t ms, by the clock of the namespace, at most `burst` + t · `permits` / `interval` permits are
 *   taken.
 * - Callers are served in FIFO order over all processes, whatever number of permits each wants.
 * - A caller that gives up takes nothing, and the next caller takes its place. If the process of a caller dies, the
 *   caller leaves the line when the lease ends.
 * - Permits are used up. A caller does not release them: new ones come with time.
 * - A call whose reply was lost is sent again, and takes permits once.
 */
export class RemoteRateLimiter {
  readonly name: string;
  /** The number of permits in each interval. */
  readonly permits: number;
  /** The length of an interval in ms. */
  readonly interval: number;
  /** The largest number of permits that can be taken at once. */
  readonly burst: number;
  readonly #space: Namespace;
  readonly #line: RateLine;
  readonly #timing: Timing;
  readonly #request: Request;

  /** @internal */
  constructor(space: Namespace, line: RateLine, timing: Timing, request: Request) {
    refusePosting(this, UNPOSTABLE);
    this.#space = space;
    this.#line = line;
    this.#timing = timing;
    this.#request = request;
    this.name = line.name;
    ({ permits: this.permits, interval: this.interval, burst: this.burst } = line.rate);
  }

  toString(): string {
    return this.#line.title;
  }

  /** The number of permits that `tryAcquire` could take now. 0 while a caller waits, or if the limiter is closed. */
  get available(): Promise<number> {
    return this.inspect().then(({ available }) => available);
  }

  /** The number of waiting calls, of all processes. */
  get waiting(): Promise<number> {
    return this.inspect().then(({ waiters }) => waiters.length);
  }

  /**
   * Takes `weight` permits if they are available within `timeoutMs`. Resolves with whether it took them.
   *
   * With 0, the default, the call does not wait, and takes nothing while another caller waits. With a timeout the
   * caller waits in line, as in `acquireAsync`.
   *
   * @param weight - 1 to `burst`.
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  async tryAcquire(weight = 1, timeoutMs = 0): Promise<boolean> {
    this.#check(weight);
    checkTimeout(timeoutMs);
    try {
      await this.#use(weight, { timeout: timeoutMs });
      return true;
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_TIMEOUT')) return false;
      throw failure;
    }
  }

  /**
   * Takes `weight` permits. The promise resolves when they are taken.
   *
   * At the head of the line, a caller whose permits would come after its timeout gives up at once. A pending call keeps
   * the process alive, unless `ref` is `false`. Rejects with:
   *
   * - `RangeError` or `TypeError` if an argument is wrong;
   * - `TimeoutError` if the permits do not come within `timeout` ms, and `signal.reason` if the signal is aborted
   *   first;
   * - `ClosedError` if the limiter or the space is closed;
   * - `MisuseError` if another process uses the limiter with another rate;
   * - `LeaseLostError` if the lease ends during the wait;
   * - `EngineError` if the server cannot be reached or refuses the call.
   *
   * @param weight - 1 to `burst`.
   */
  async acquireAsync(weight = 1, options = NO_WAIT_OPTIONS): Promise<void> {
    this.#check(weight);
    await this.#use(weight, checkWait(options));
  }

  /**
   * Books `weight` permits for the earliest time that the rate allows. Resolves without waiting for that time.
   *
   * A booking overtakes no caller: it waits while callers are in line. Rejects with the errors of `acquireAsync`, and
   * with `RangeError` if the time is more than 4 years ahead.
   *
   * @param weight - 1 to `burst`.
   */
  async reserveAsync(weight = 1, options = NO_WAIT_OPTIONS): Promise<RemoteReservation> {
    this.#check(weight);
    return new RemoteReservation(await this.#take(weight + BOOKS, checkWait(options)), weight, this.#timing);
  }

  /** Books permits as `reserveAsync` does: over a server no call blocks. */
  reserve(weight = 1, options = NO_WAIT_OPTIONS): Promise<RemoteReservation> {
    return this.reserveAsync(weight, options);
  }

  /** Takes permits as `acquireAsync` does, then calls `body` and settles as its result does. */
  async runAsync<T>(body: () => T | PromiseLike<T>, weight = 1, options = NO_WAIT_OPTIONS): Promise<T> {
    checkAsyncBody(body, this);
    await this.acquireAsync(weight, options);
    return body();
  }

  /**
   * Resolves with the earliest time after which `tryAcquire(weight)` can succeed, in whole ms. 0: now. The header
   * `Retry-After` is in seconds: divide by 1000 and round up.
   *
   * The estimate counts one permit for each waiting call. The real time is longer if a waiting call wants more permits,
   * or if further calls come first. Rejects with `ClosedError` if the limiter is closed.
   */
  async retryAfter(weight = 1): Promise<number> {
    this.#check(weight);
    const gauge = await this.#gauge();
    if (gauge.isClosed) throw this.#line.closed();
    return untilFree(this.#line.rate, gauge, weight);
  }

  /** Resolves with a snapshot over all processes: the available permits and the waiting calls. */
  async inspect(): Promise<RemoteRateLimiterReport> {
    return reportRate(this.name, this.#line.rate, await this.#gauge());
  }

  /** Closes the limiter for all processes: every waiting and every later call fails with `ClosedError`. */
  close(): Promise<void> {
    return this.#space.shut(this.#line);
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
    return `RemoteRateLimiter { name: '${this.name}', permits: ${this.permits}, interval: ${this.interval}, burst: ${this.burst} }`;
  }

  async #use(weight: number, options: WaitOptions): Promise<void> {
    const { session, seq } = await this.#take(weight, options);
    session.forget(this.#line, seq);
  }

  async #take(permits: number, options: WaitOptions): Promise<Grant> {
    const grant = await this.#request(this.#line, permits, options);
    if (grant === undefined) throw this.#line.timedOut(permits, 0);
    grant.session.use(grant.seq);
    return grant;
  }

  async #gauge(): Promise<Gauge> {
    return readGauge(await this.#space.ask('gauge', this.#line.key));
  }

  #check(weight: number): void {
    checkInteger(`${this.#line.title}: weight`, weight, 1, this.burst, PERMIT_CALLS);
  }

  #blocks(instead: string): UnsupportedError {
    return new UnsupportedError(`${this.#line.title} is on a server, so no thread can block on it: use ${instead}.`);
  }
}
