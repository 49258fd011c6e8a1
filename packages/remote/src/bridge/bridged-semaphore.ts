// The workers' side of a bridge.

import {
  HandleError,
  Region,
  Semaphore,
  type Guard,
  type Holdable,
  type NotPromise,
  type WaitOptions,
} from '@sluice/core';
import { checkInteger, INSPECT, PERMIT_CALLS, refusePosting, show, threadBudget } from '@sluice/core/calls';
import { PermitLock } from '@sluice/core/internal';
import { DEADLINE_UNIT_MS, type BridgeHandle } from './bridge.ts';
import { leaseLost } from '../session/grant.ts';

/**
 * A semaphore on a server, as a worker thread sees it. It has the blocking, trying and async calls of the core's
 * `Semaphore`.
 *
 * - Workers of one process are served in FIFO order. A unit that a worker releases goes to the next worker, until
 *   another process asks for it.
 * - A killed worker's unit returns when the worker is recovered, as for every semaphore.
 * - If the lease is lost, waiters and later callers get `ClosedError`. Then create a new bridge.
 */
export class BridgedSemaphore {
  readonly #shared: Semaphore;
  readonly #bell: Semaphore;
  readonly #deadline: Int32Array;
  readonly #handle: BridgeHandle;

  private constructor(handle: BridgeHandle) {
    refusePosting(this);
    this.#handle = handle;
    this.#shared = Semaphore.from(handle.semaphore);
    this.#bell = Semaphore.from(handle.bell);
    this.#deadline = Region.from(handle.deadline).int32;
  }

  /**
   * Opens the bridge that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live bridge.
   */
  static from(handle: BridgeHandle): BridgedSemaphore {
    if ((handle as Partial<BridgeHandle> | null | undefined)?.kind !== 'sluice.redis-bridge') {
      throw new HandleError(`Expected the handle of a bridge (bridge.handle): received ${show(handle)}.`);
    }
    return new BridgedSemaphore(handle);
  }

  toString(): string {
    return this.#handle.title;
  }

  /**
   * Acquires a unit, blocking the calling thread until one is available.
   *
   * @throws The errors of `Semaphore.acquire`.
   */
  acquire(permits = 1): void {
    if (this.#ring(permits)) this.#shared.acquire();
  }

  /**
   * Acquires a unit if one becomes available within `timeoutMs`. Returns whether it acquired it. With 0, the default,
   * it only takes a unit that is in this process, because an answer of the server takes time.
   */
  tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (timeoutMs !== 0) return !this.#ring(permits) || this.#shared.tryAcquire(1, timeoutMs);
    this.#check(permits);
    return this.#shared.tryAcquire();
  }

  /** Acquires a unit without blocking. */
  async acquireAsync(permits = 1, options?: WaitOptions): Promise<void> {
    const settled = this.#ring(permits) ? this.#shared.acquireAsync(1, options) : threadBudget.spend();
    if (settled !== undefined) await settled;
  }

  /** Releases a unit, for the next worker of this process or for another process that asked. */
  release(permits = 1): void {
    this.#check(permits);
    this.#shared.release();
  }

  /**
   * Checks that this process still holds the lease.
   *
   * @throws {LeaseLostError} If the lease has ended by the clock of this machine, or was lost.
   */
  assertHeld(): void {
    const end = this.#handle.epoch + (this.#deadline[0] ?? 0) * DEADLINE_UNIT_MS;
    if (Date.now() >= end) throw leaseLost(this.toString(), 'the lease was not renewed in time');
  }

  /** Returns a lock whose `lock` acquires `permits` and whose `unlock` releases them, for APIs that take a `Lock`. */
  asLock(permits = 1): Holdable {
    return new PermitLock(this, permits);
  }

  /** Acquires `permits` as `acquire` does; returns a guard that releases them. */
  hold(permits = 1): Guard {
    return this.asLock(permits).hold();
  }

  /** Acquires `permits` as `tryAcquire` does; returns a guard, or `null` if they were not acquired. */
  tryHold(permits = 1, timeoutMs = 0): Guard | null {
    return this.asLock(permits).tryHold(timeoutMs);
  }

  /** Acquires `permits` as `acquireAsync` does; resolves with a guard that releases them. */
  async holdAsync(permits = 1, options?: WaitOptions): Promise<Guard> {
    return this.asLock(permits).holdAsync(options);
  }

  /**
   * Runs `body` with `permits` held and returns its result; releases them even if `body` throws.
   *
   * An async function is refused before anything is taken. A body that returns a thenable is refused after the release.
   * See `Holdable.run`.
   *
   * @throws {MisuseError} If `body` is an async or generator function, or returns a thenable; use `runAsync`.
   */
  run<T>(body: () => NotPromise<T>, permits = 1): T {
    return this.asLock(permits).run(body);
  }

  /**
   * Runs `body` with `permits` held until the promise that `body` returns settles; releases them even if it rejects.
   */
  async runAsync<T>(body: () => T | PromiseLike<T>, permits = 1, options?: WaitOptions): Promise<T> {
    return this.asLock(permits).runAsync(body, options);
  }

  [INSPECT](): string {
    return `BridgedSemaphore { of: '${this.toString()}' }`;
  }

  /** Whether the caller has to wait. Rings the bell in that case. */
  #ring(permits: number): boolean {
    this.#check(permits);
    if (this.#shared.tryAcquire()) return false;
    this.#bell.release();
    return true;
  }

  #check(permits: number): void {
    checkInteger(
      `${this.toString()}: permits (a bridge gives out units; its option \`weight\` says of how many permits)`,
      permits,
      1,
      1,
      PERMIT_CALLS,
    );
  }
}
