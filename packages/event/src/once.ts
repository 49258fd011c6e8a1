// A once, as one agent sees it. The word, its states and the invariants are in kernel/once.ts.

import type { NotPromise, WaitingPolicy, WaitOptions } from '@sluice/core';
import { checkFunction, checkTimeout, checkWait, NO_WAIT_OPTIONS } from '@sluice/core/calls';
import {
  createLine,
  handleTo,
  openWithPolicy,
  Waitable,
  type LockOptions,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { callHere, checkAsyncInitialiser, checkInitialiser } from './initialiser.ts';
import { ONCE } from './kinds.ts';
import { fillOnce, OnceLine, onceShape } from './once-line.ts';
import { reportOnce, type OnceReport } from './once-report.ts';

export type OnceHandle = PrimitiveHandle<'sluice.once'>;
export type OnceOptions = LockOptions;

const SHAPE = onceShape(ONCE, 'Once', 'The once', 'was not done');

let construct: (ref: BlockRef, policy: WaitingPolicy) => Once;

/**
 * Runs an initialiser once, over all threads: one thread runs it, and all others wait until it has returned.
 *
 * - When an initialiser has returned, the once is done. Every later call returns at once, and sees the initialiser's
 *   writes.
 * - If the initialiser throws, the call that ran it throws the same error, and the next caller or one of the waiters
 *   tries with its own function. The once is not poisoned.
 * - If the initialiser's worker dies and is reclaimed, the next caller or one of the waiters tries as well.
 *
 * It corresponds to Go's `sync.Once` and Rust's `std::sync::Once`, but a failed attempt does not count.
 *
 * ```ts run
 * import { Region } from '@sluice/core';
 * import { Once } from '@sluice/event';
 *
 * const once = Once.create({ name: 'table' });
 * const table = Region.create(4).int32;
 * for (let call = 0; call < 3; call++) once.run(() => (table[0] += 1));
 * console.log(table[0], once.isDone); // 1 true
 * ```
 */
export class Once extends Waitable {
  /** The handle to post to another thread. Pass it to `Once.from` there. */
  readonly handle: OnceHandle;
  readonly #line: OnceLine;

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    const line = new OnceLine(ref, policy, SHAPE);
    super(line.waits);
    this.#line = line;
    this.handle = handleTo('sluice.once', ref, ONCE.kernel.id);
  }

  /**
   * Creates a once that is not done.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: OnceOptions = {}): Once {
    return construct(...createLine(ONCE, options, SHAPE.behaviour, fillOnce));
  }

  /**
   * Opens the once that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live once.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: OnceHandle, options: Pick<OnceOptions, 'policy'> = {}): Once {
    return construct(...openWithPolicy(ONCE, handle, options));
  }

  /**
   * Runs `initialiser` unless the once is done, blocking the calling thread while another agent runs its own
   * initialiser. When the call returns, the once is done.
   *
   * @throws {DeadlockError} In an initialiser of this once, and while an async initialiser of this agent runs.
   * @throws {ClosedError} If the once is closed, before or during the call.
   * @throws {MisuseError} If `initialiser` is an async or generator function, or returns a promise; use `runAsync`.
   *   Also on a browser's main thread, unless the once is done.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   * @throws The error of `initialiser`. The attempt has then failed.
   */
  run<T>(initialiser: () => NotPromise<T>): void {
    if (typeof initialiser !== 'function') checkFunction(initialiser);
    if (this.#line.isPublished) return;
    checkInitialiser(initialiser, this, 'runAsync');
    this.#line.waits.checkBlocking();
    this.#line.attempt(() => this.#call(initialiser), Infinity);
  }

  /**
   * Runs `initialiser` as `run` does, but waits at most `timeoutMs` for another agent's initialiser; returns whether
   * the once is done.
   *
   * With 0, the default, the call does not wait. It still runs `initialiser` if no agent runs one. The timeout does not
   * limit the initialiser itself.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `run`, but `DeadlockError` only with a timeout.
   */
  tryRun<T>(initialiser: () => NotPromise<T>, timeoutMs = 0): boolean {
    checkInitialiser(initialiser, this, 'runAsync');
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#line.isPublished || this.#line.attempt(() => this.#call(initialiser), timeoutMs);
  }

  /**
   * Runs `initialiser` unless the once is done, without blocking the thread. `initialiser` may return a promise: the
   * attempt ends when the promise has settled, and other agents wait until then. When the promise of the call resolves,
   * the once is done.
   *
   * `timeout` and `signal` end a wait for another agent's initialiser, but not the initialiser that this call runs.
   * Rejects as `run` throws, and with `TimeoutError` or `signal.reason`. It rejects with `DeadlockError` only if an
   * async initialiser makes the call before its first `await`. An initialiser that awaits the same once later waits for
   * itself until the timeout.
   */
  async runAsync(initialiser: () => void | PromiseLike<void>, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    checkAsyncInitialiser(initialiser, this);
    const checked = checkWait(options);
    const settled = this.#line.isPublished
      ? this.#line.waits.context.budget.spend()
      : this.#line.attemptAsync(async () => initialiser(), checked);
    if (settled !== undefined) await settled;
  }

  /**
   * Waits until the once is done, blocking the calling thread. Runs no initialiser.
   *
   * A failed attempt does not end the wait.
   *
   * @throws {MisuseError} On a browser's main thread; use `waitAsync`.
   * @throws {DeadlockError} In an initialiser of this once, and while an async initialiser of this agent runs.
   * @throws {ClosedError} If the once is closed, before or during the call.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  wait(): void {
    this.#line.waits.checkBlocking();
    this.#line.stay(Infinity);
  }

  /**
   * Waits as `wait` does, for at most `timeoutMs`; returns whether the once is done. With 0, the default, the call does
   * not wait.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  tryWait(timeoutMs = 0): boolean {
    return this.#line.stay(timeoutMs);
  }

  /**
   * Waits until the once is done, without blocking the thread. Runs no initialiser.
   *
   * Rejects with `TimeoutError`, `signal.reason`, `ClosedError` or `ArenaFullError`.
   */
  async waitAsync(options?: WaitOptions): Promise<void> {
    await this.#line.stayAsync(options);
  }

  /**
   * Returns a snapshot of the once: its state, the agent that runs an initialiser, the number of failed attempts, and
   * the waiters.
   */
  inspect(): OnceReport {
    return reportOnce(this.#line.waits.ref, this.#line.waits.report());
  }

  /** Whether an initialiser has returned. If true, this thread sees the initialiser's writes. */
  get isDone(): boolean {
    return this.#line.isDone;
  }

  /**
   * Closes the once, unless it is done. Returns whether this call closed it. No initialiser begins afterwards, and
   * waiters throw `ClosedError`. A running initialiser continues, and its caller throws `ClosedError` when it ends.
   *
   * Use it if the initialisation can no longer succeed.
   */
  close(): boolean {
    return this.#line.close();
  }

  override free(): void {
    this.#line.free();
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return this.#line.shown();
  }

  #call(initialiser: () => void): void {
    callHere(initialiser, this, 'runAsync');
  }
}

/** Opens a once over words that exist already, for models. */
export function onceAt(ref: BlockRef, policy: WaitingPolicy): Once {
  return construct(ref, policy);
}
