// A semaphore whose number of permits changes, with a debt, divisible guards, waits for a free permit, and a cancel for
// all waits. Its steps: kernel/resizable.ts.

import { MisuseError, type WaitOptions } from '@sluice/core';
import {
  checkInteger,
  checkTimeout,
  checkWait,
  handleTo,
  MAX_PERMITS,
  plural,
  rejected,
  reserveStack,
  SHUT,
  TAKEN,
  untilWon,
  wrongInstance,
} from '@sluice/core/internal';
import type { Membership } from './member.ts';
import type { Capabilities } from './options.ts';
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
import { Watch, watchersAt } from './resizable-watch.ts';

const NO_OPTIONS: WaitOptions = {};
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
 * Otherwise it is as `Semaphore`: waiters are served in strict FIFO order, whatever number of permits each requests;
 * `tryAcquire` without a timeout does not barge; any agent may release; the permits of a dead agent are released. An
 * acquire or a release that meets no other agent costs one compare-and-swap.
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

  /** Post this to another thread and give it to `ResizableSemaphore.from` there. */
  readonly handle: ResizableHandle;
  readonly #line: ResizableLine;

  private constructor(membership: Membership | undefined) {
    super(membership);
    this.#line = new ResizableLine(this.place, this.policy, this.account, this.localState);
    this.handle = handleTo('sluice.resizable-semaphore', this.place, RESIZABLE.kernel.id);
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
   * Whether `other` is an instance of the same semaphore. Throws `TypeError` if it is no `ResizableSemaphore`,
   * `MisuseError` if it is of another copy of the package.
   */
  isSame(other: ResizableSemaphore): boolean {
    const { place } = this;
    if (!(other instanceof ResizableSemaphore))
      throw wrongInstance(
        `${this.toString()}: the other semaphore`,
        'ResizableSemaphore',
        'sluice.resizable-semaphore',
        other,
      );
    const theirs = other.place;
    return place.context.words === theirs.context.words && place.address === theirs.address && place.tag === theirs.tag;
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
   * Acquires `permits` if they become available within `timeoutMs`; returns whether it did.
   *
   * With 0, the default, the call does not wait. Throws as `acquire` does; `DeadlockError` only if `timeoutMs` is
   * `Infinity`.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits !== 1) this.checkPermits(permits);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#take(permits) || (timeoutMs !== 0 && this.#line.block(permits, timeoutMs));
  }

  /**
   * Acquires `permits` without blocking the thread; the promise resolves when they are acquired.
   *
   * Waits in the same FIFO line as `acquire`. A pending wait keeps the event loop alive, unless `ref` is `false`.
   * Rejects with what `acquire` throws, `TimeoutError` and `signal.reason`; then no permit was taken.
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.checkPermits(permits);
      const checked = options === NO_OPTIONS ? options : checkWait(options);
      return this.#take(permits) ? this.place.context.budget.done() : this.#line.await(permits, checked);
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
   * Waits until `permits` permits are free, for at most `timeoutMs`, and takes none; returns whether they were. Another
   * agent may have taken them when the call returns. For one permit no moment is missed. For several, the call looks
   * again each time a permit becomes free.
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
    const seen = new Watch(this.place, this.policy, permits, this.account).block(timeoutMs);
    if (seen === SHUT) throw this.shut();
    return seen === TAKEN;
  }

  /** As `waitForUnlock`, without blocking. Rejects with `TimeoutError`, `signal.reason` and `ClosedError`. */
  async waitForUnlockAsync(permits = 1, options: WaitOptions = NO_OPTIONS): Promise<void> {
    if (permits !== 1) this.checkPermits(permits);
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    const seen = await new Watch(this.place, this.policy, permits, this.account, checked.timeout).await(checked);
    if (seen === SHUT) throw this.shut();
  }

  /**
   * Ends all waits for permits that are under way with `CancelledError`, in all agents. Their permits go to later
   * calls, and the semaphore stays open. A wait whose permits came before the call succeeds, unless its thread sees
   * them only after another such call. No call revokes an earlier one: a wait that lacked permits then does not
   * succeed. Waits of `waitForUnlock` go on.
   *
   * A waiter leaves the line when its thread runs next. If that thread is busy with something else, permits that reach
   * its place in line move on when it is done. Of the async waits of the calling thread, the oldest 256 leave the line
   * before the call returns, and the others in the next turns of its event loop.
   *
   * @param reason - A whole number for the `reason` of the errors, 0 to 2^31 − 1. Only a number reaches other threads
   *   in one step. A thread that looks after several calls gets that of the last. Default: 0.
   * @throws {RangeError} If `reason` is out of range.
   * @throws {ClosedError} If the semaphore is closed.
   */
  cancelWaiters(reason = 0): void {
    checkInteger(`${this.toString()}: the reason`, reason, 0, MAX_PERMITS);
    // The waiters that the step cancels must be woken.
    reserveStack();
    const { address, tag } = this.place;
    const { context } = this;
    const cancelled = untilWon(() => this.kernel.cancelAllSized(address, tag, context.agent, reason));
    // Also on SHUT: an earlier call that lost a race has noted visits in the record.
    context.finishWalk();
    if (cancelled === SHUT) throw this.shut();
    // The oldest waits of this agent leave the line before the call returns, as many as settle in one turn of the event
    // loop.
    this.localState.asyncWaits.settleOrFail();
  }

  /**
   * Closes the semaphore: every waiter and every later attempt to acquire fails with `ClosedError`. Closing it again
   * has no effect.
   */
  close(): void {
    this.checkThere();
    reserveStack();
    const { address, tag } = this.place;
    this.kernel.closeSized(this.context.agent, address, tag);
    this.context.finishWalk();
  }

  /** As `Semaphore.free`. An agent in `waitForUnlock` counts as a waiter. */
  override free(): void {
    const watchers = this.isOpen ? watchersAt(this.place) : 0;
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
