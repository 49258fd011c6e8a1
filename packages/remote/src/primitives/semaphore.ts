// A counting semaphore over all processes of a namespace.

import { UnsupportedError } from '@sluice/core';
import { checkInteger, INSPECT, MAX_PERMITS, NO_WAIT_OPTIONS, PERMIT_CALLS, refusePosting } from '@sluice/core/calls';
import type { RemoteGuard } from './guard.ts';
import type { Holdings } from './holdings.ts';
import { RemoteLock } from './lock.ts';
import type { RemoteReport } from '../report/report.ts';
import type { Namespace } from './namespace.ts';
import { UNPOSTABLE_BUT_BRIDGED } from './unpostable.ts';

export interface RemoteSemaphoreOptions {
  /**
   * The number of callers of this process that one grant may serve before it goes back to the server. Default: 1,
   * strict FIFO over all processes. Applies to waits for one permit.
   */
  readonly bypass?: number | undefined;
  /** The time that this process keeps an idle permit while no other process waits for it, in ms. Default: 0. */
  readonly linger?: number | undefined;
  /**
   * Whether permits return when their session dies. Default: `true`. Use `false` for signals, which the acquiring
   * process does not release. Then any process may release, and each release adds permits.
   */
  readonly recovery?: boolean | undefined;
}

/**
 * A fair counting semaphore, shared by all processes of a namespace. Made by `space.semaphore`.
 *
 * - Waiters are served in strict FIFO order over all processes, whatever number of permits each requests. The order is
 *   that in which the server ran the calls.
 * - A wait that times out or is aborted takes no permit and delays no other waiter.
 * - When a process dies, its permits return after its lease.
 */
export class RemoteSemaphore {
  readonly name: string;
  /** The number of permits that exist. */
  readonly permits: number;
  readonly #space: Namespace;
  readonly #holdings: Holdings;

  /** @internal */
  constructor(space: Namespace, holdings: Holdings) {
    refusePosting(this, UNPOSTABLE_BUT_BRIDGED);
    this.#space = space;
    this.#holdings = holdings;
    this.name = holdings.line.name;
    this.permits = holdings.line.permits;
  }

  toString(): string {
    return this.#holdings.line.title;
  }

  /** The number of permits that a caller would get at once. 0 if waiters are in line, or if the semaphore is closed. */
  get available(): Promise<number> {
    return this.inspect().then(({ available, waiters }) => (waiters.length > 0 ? 0 : available));
  }

  /** The number of waiters in the server's line. */
  get waiting(): Promise<number> {
    return this.inspect().then(({ waiters }) => waiters.length);
  }

  /**
   * Acquires `permits`; the promise resolves when this process holds them. Rejects with:
   *
   * - `RangeError` or `TypeError` if an argument is wrong;
   * - `TimeoutError` if `timeout` elapses first, and `signal.reason` if the signal is aborted first;
   * - `ClosedError` if the semaphore or the space is closed;
   * - `LeaseLostError` if the lease ends during the wait;
   * - `EngineError` if the server cannot be reached or refuses the call.
   */
  async acquireAsync(permits = 1, options = NO_WAIT_OPTIONS): Promise<void> {
    this.#check(permits);
    this.#holdings.keep(await this.#holdings.take(permits, options));
  }

  /**
   * Acquires `permits` if they become available within `timeoutMs`. With 0, the default, it does not wait. Resolves
   * with whether it acquired them.
   */
  async tryAcquire(permits = 1, timeoutMs = 0): Promise<boolean> {
    this.#check(permits);
    const grant = await this.#holdings.tryTake(permits, timeoutMs);
    if (grant !== undefined) this.#holdings.keep(grant);
    return grant !== undefined;
  }

  /**
   * Releases `permits` that this process acquired through this object without a guard.
   *
   * Rejects with `MisuseError` if it holds fewer, and with `LeaseLostError` if they were lost before. With
   * `recovery: false` it adds permits.
   */
  async release(permits = 1): Promise<void> {
    const { line } = this.#holdings;
    if (!line.signal) return this.#holdings.giveBack(checkInteger(`${line.title}: permits`, permits, 1, MAX_PERMITS));
    checkInteger(`${line.title}: permits`, permits, 1, MAX_PERMITS);
    return this.#space.inSession((session) => session.post(line, permits));
  }

  /** Acquires `permits` as `acquireAsync` does; resolves with a guard that releases them. */
  async holdAsync(permits = 1, options = NO_WAIT_OPTIONS): Promise<RemoteGuard> {
    this.#check(permits);
    return this.#holdings.guard(await this.#holdings.take(permits, options));
  }

  /** Acquires `permits` as `tryAcquire` does; resolves with a guard, or `null` if they were not acquired. */
  async tryHold(permits = 1, timeoutMs = 0): Promise<RemoteGuard | null> {
    this.#check(permits);
    const grant = await this.#holdings.tryTake(permits, timeoutMs);
    return grant === undefined ? null : this.#holdings.guard(grant);
  }

  /**
   * Runs `body` with `permits` held, and releases them when the promise that it returns settles. `body` gets the guard,
   * with its `signal` and `fencingToken`.
   */
  async runAsync<T>(
    body: (guard: RemoteGuard) => T | PromiseLike<T>,
    permits = 1,
    options = NO_WAIT_OPTIONS,
  ): Promise<T> {
    this.#check(permits);
    return this.#holdings.run(body, this.toString(), permits, options);
  }

  /** Returns a lock whose `lockAsync` acquires `permits` and whose `unlock` releases them. */
  asLock(permits = 1): RemoteLock {
    this.#check(permits);
    return new RemoteLock(this.#space, this.#holdings, permits);
  }

  /** Resolves with a snapshot over all processes: holders and waiters, with the names of their sessions. */
  inspect(): Promise<RemoteReport> {
    return this.#space.look(this.#holdings.line);
  }

  /**
   * Closes the semaphore for all processes: every waiter and every later attempt to acquire fails with `ClosedError`.
   */
  close(): Promise<void> {
    return this.#space.shut(this.#holdings.line);
  }

  /**
   * Not possible over a server. Worker threads block through `space.bridge`.
   *
   * @throws {UnsupportedError} Always.
   */
  acquire(): never {
    throw blocks(this, 'acquireAsync');
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  hold(): never {
    throw blocks(this, 'holdAsync');
  }

  /**
   * Not possible over a server.
   *
   * @throws {UnsupportedError} Always.
   */
  run(): never {
    throw blocks(this, 'runAsync');
  }

  [INSPECT](): string {
    return `RemoteSemaphore { name: '${this.name}', permits: ${this.permits} }`;
  }

  #check(permits: number): void {
    const { line } = this.#holdings;
    checkInteger(`${line.title}: permits`, permits, 1, line.signal ? MAX_PERMITS : line.permits, PERMIT_CALLS);
  }
}

function blocks(what: RemoteSemaphore, instead: string): UnsupportedError {
  return new UnsupportedError(
    `${what.toString()} is on a server, so no thread can block on it: use ${instead}. Worker threads can block through space.bridge.`,
  );
}
