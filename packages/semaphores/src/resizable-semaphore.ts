// A semaphore whose number of permits changes. It has a debt, divisible guards, waits for a free permit, and a cancel
// of all waits. Its steps: kernel/resizable.ts.

import { MisuseError, type WaitOptions } from '@sluice/core';
import { SHUT, TAKEN } from '@sluice/core/format';
import {
  checkInteger,
  checkTimeout,
  checkWait,
  MAX_PERMITS,
  NO_WAIT_OPTIONS,
  plural,
  rejected,
  reserveStack,
  wrongInstance,
} from '@sluice/core/calls';
import { handleTo, retryWhileRaced } from '@sluice/core/internal';
import type { Capabilities } from './capabilities.ts';
import { PermitGuard } from './permit-guard.ts';
import { RESIZABLE } from './resizable-kind.ts';
import { ResizableLine } from './resizable-line.ts';
import {
  createResizable,
  openResizable,
  ResizablePermits,
  type ResizableHandle,
  type ResizableOptions,
} from './resizable-permits.ts';
import { ResizeWatch, watchersAt } from './resizable-watch.ts';
import type { Membership } from './semaphore-base.ts';

const CAPABILITIES: Capabilities = { fifo: true, weighted: true, givesUp: true, bounded: false, wakesOne: true };

/**
 * A fair counting semaphore whose number of permits changes while agents use it.
 *
 * - `resize`, `addPermits` and `reducePermits` change the number of permits at once. If more permits are held than
 *   exist, the difference is a debt: released permits pay it before a waiter gets one.
 * - A guard of several permits can be divided, merged and given up: `acquireGuard`.
 * - `waitForUnlock` waits until a permit is free and takes none.
 * - `cancelWaiters` ends all waits that are under way and leaves the semaphore open.
 *
 * Otherwise it behaves as `Semaphore` does. Waiters are served in strict FIFO order, whatever number of permits each
 * requests. `tryAcquire` without a timeout does not barge. Any agent may release. The recovery of a dead agent releases
 * its permits. An acquire or a release that meets no other agent costs one compare-and-swap.
 *
 * ```ts run
 * import { ResizableSemaphore } from '@sluice/semaphores';
 *
 * const connections = ResizableSemaphore.create(3);
 * connections.acquire(3);
 * connections.resize(1);
 * console.log(connections.size, connections.debt); // 1 2
 * connections.release(2);
 * console.log(connections.debt, connections.available); // 0 0
 * connections.release();
 * console.log(connections.available); // 1
 * ```
 */
export class ResizableSemaphore extends ResizablePermits {
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  /** The handle to post to another thread. Pass it to `ResizableSemaphore.from` there. */
  readonly handle: ResizableHandle;
  readonly #line: ResizableLine;

  private constructor(membership: Membership | undefined) {
    super(membership);
    this.#line = new ResizableLine(this.ref, this.policy, this.errors, this.lineState);
    this.handle = handleTo('sluice.resizable-semaphore', this.ref, RESIZABLE.kernel.id);
  }

  /**
   * Creates a semaphore with `permits` free permits. A negative number is a debt: the first `-permits` permits that are
   * released pay it.
   *
   * @param permits - From −(2^31 − 1) to 2^31 − 1.
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: ResizableOptions = {}): ResizableSemaphore {
    return new ResizableSemaphore(createResizable(permits, options));
  }

  /**
   * Opens the semaphore that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live resizable semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: ResizableHandle, options: Pick<ResizableOptions, 'policy'> = {}): ResizableSemaphore {
    return new ResizableSemaphore(openResizable(handle, options));
  }

  get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  /**
   * Whether `other` is an instance of the same semaphore.
   *
   * @throws {TypeError} If it is not a `ResizableSemaphore`.
   * @throws {MisuseError} If it comes from another copy of the package.
   */
  isSame(other: ResizableSemaphore): boolean {
    const { ref } = this;
    if (!(other instanceof ResizableSemaphore))
      throw wrongInstance(
        `${this.toString()}: the other semaphore`,
        'ResizableSemaphore',
        'sluice.resizable-semaphore',
        other,
      );
    const theirs = other.ref;
    return ref.context.words === theirs.context.words && ref.address === theirs.address && ref.tag === theirs.tag;
  }

  /**
   * Acquires `permits`, blocking the calling thread until they are available.
   *
   * Waiters are served in FIFO order, together with async waiters. If the call throws, no permit was taken.
   *
   * @param permits - 1 to 2^31 − 1.
   * @throws {CancelledError} If `cancelWaiters` is called during the wait.
   * @throws {ClosedError} If the semaphore is closed, before or during the wait.
   * @throws {RangeError} If `permits` is out of range, or the waiters together would lack more than 2^31 − 1 permits.
   * @throws {MisuseError} On a browser's main thread; use `acquireAsync`.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this semaphore, which could not settle while
   *   the agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    if (!this.#take(permits)) this.#line.block(permits, Infinity);
  }

  /**
   * Acquires `permits` if they become available within `timeoutMs`. Returns whether it acquired them.
   *
   * With 0, the default, the call does not wait.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `acquire`; `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits !== 1) this.checkPermits(permits);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#take(permits) || (timeoutMs !== 0 && this.#line.block(permits, timeoutMs));
  }

  /**
   * Acquires `permits` without blocking the thread. The promise resolves when they are acquired.
   *
   * Waits in the same FIFO line as `acquire`. A pending wait keeps the event loop alive, unless `ref` is `false`.
   * Rejects with the errors of `acquire`, with `TimeoutError` and with `signal.reason`. Then no permit was taken.
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.checkPermits(permits);
      const checked = checkWait(options);
      return this.#take(permits) ? this.ref.context.budget.done() : this.#line.await(permits, checked);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /** Acquires `permits` as `acquire` does; returns a guard that can be divided and given up. */
  acquireGuard(permits = 1): PermitGuard {
    this.acquire(permits);
    return new PermitGuard(this, permits);
  }

  /** Acquires `permits` as `tryAcquire` does; returns a guard, or `null` if they were not acquired. */
  tryAcquireGuard(permits = 1, timeoutMs = 0): PermitGuard | null {
    return this.tryAcquire(permits, timeoutMs) ? new PermitGuard(this, permits) : null;
  }

  /** Acquires `permits` as `acquireAsync` does; resolves with a guard. */
  async acquireGuardAsync(permits = 1, options?: WaitOptions): Promise<PermitGuard> {
    await this.acquireAsync(permits, options);
    return new PermitGuard(this, permits);
  }

  /**
   * Waits until `permits` permits are free, for at most `timeoutMs`, without taking them. Returns whether they were
   * free. Another agent may have taken them by the time the call returns. A wait for one permit misses no moment at
   * which one is free. A wait for several checks again each time a permit becomes free.
   *
   * The name is that of async-mutex, whose semaphores have the same call.
   *
   * @param permits - 1 to 2^31 − 1.
   * @param timeoutMs - Milliseconds, 0 or more. Default: no limit.
   * @throws {ClosedError} If the semaphore is closed, before or during the wait.
   * @throws {MisuseError} On a browser's main thread; use `waitForUnlockAsync`.
   */
  waitForUnlock(permits = 1, timeoutMs = Infinity): boolean {
    if (permits !== 1) this.checkPermits(permits);
    checkTimeout(timeoutMs);
    const seen = new ResizeWatch(this.ref, this.policy, permits, this.errors).block(timeoutMs);
    if (seen === SHUT) throw this.shut();
    return seen === TAKEN;
  }

  /**
   * Waits as `waitForUnlock` does, without blocking. Rejects with `TimeoutError`, `signal.reason` and `ClosedError`.
   */
  async waitForUnlockAsync(permits = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    if (permits !== 1) this.checkPermits(permits);
    const checked = checkWait(options);
    const seen = await new ResizeWatch(this.ref, this.policy, permits, this.errors, checked.timeout).await(checked);
    if (seen === SHUT) throw this.shut();
  }

  /**
   * Ends all waits for permits that are under way with `CancelledError`, in all agents. Their permits go to later
   * calls, and the semaphore stays open. If the permits of a wait came before the call, the wait succeeds, unless its
   * thread sees them only after another call of `cancelWaiters`. No call revokes an earlier one: a wait that lacked
   * permits at an earlier call never succeeds. Waits of `waitForUnlock` continue.
   *
   * A waiter leaves the line when its thread runs next. If that thread is busy, permits that reach its place in line
   * move on when the thread runs next. Of the async waits of the calling thread, the oldest 256 leave the line before
   * the call returns, and the others in the next turns of its event loop.
   *
   * @param reason - A whole number for the `reason` of the errors, 0 to 2^31 − 1. Only a number reaches other threads
   *   in one step. If a thread checks after several calls, it gets the reason of the last call. Default: 0.
   * @throws {RangeError} If `reason` is out of range.
   * @throws {ClosedError} If the semaphore is closed.
   */
  cancelWaiters(reason = 0): void {
    checkInteger(`${this.toString()}: the reason`, reason, 0, MAX_PERMITS);
    // The step may cancel waiters, and then the call must be able to wake them.
    reserveStack();
    const { address, tag } = this.ref;
    const { context } = this;
    const cancelled = retryWhileRaced(() => this.kernel.cancelAllSized(address, tag, context.agent, reason));
    // Also on SHUT: an attempt that lost a race may have recorded visits.
    context.finishWalk();
    if (cancelled === SHUT) throw this.shut();
    // The oldest waits of this agent leave the line before the call returns: as many as settle in one turn of the event
    // loop.
    this.lineState.asyncWaits.settleOrFail();
  }

  /**
   * Closes the semaphore: every waiter and every later attempt to acquire fails with `ClosedError`. Closing it again
   * has no effect.
   */
  close(): void {
    this.checkThere();
    reserveStack();
    const { address, tag } = this.ref;
    this.kernel.closeSized(this.context.agent, address, tag);
    this.context.finishWalk();
  }

  /** Frees the semaphore as `Semaphore.free` does. An agent in `waitForUnlock` counts as a waiter. */
  override free(): void {
    const watchers = this.isOpen ? watchersAt(this.ref) : 0;
    if (watchers > 0)
      throw new MisuseError(
        `${this.toString()} is in use and cannot be freed: ${plural(watchers, 'agent')} in waitForUnlock. Close it first.`,
      );
    super.free();
  }

  #take(permits: number): boolean {
    const taken = this.#line.take(permits);
    if (taken === SHUT) throw this.shut();
    return taken === TAKEN;
  }
}
