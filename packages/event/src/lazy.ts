// A lazy, as one agent sees it: a once with a value. The word, its states and the invariants are in kernel/once.ts.

import { HandleError, type NotPromise, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import { BLOCK_LINE, FLAG_LAST, LIMIT } from '@sluice/core/format';
import {
  checkFunction,
  checkTimeout,
  checkWait,
  NO_WAIT_OPTIONS,
  fixedBytes,
  type ValueCodec,
} from '@sluice/core/calls';
import { createLine, handleTo, openWithPolicy, Waitable, type LockOptions, type BlockRef } from '@sluice/core/internal';
import { callHere, checkAsyncInitialiser, checkInitialiser, type UseGetAsync } from './initialiser.ts';
import { LAZY } from './kinds.ts';
import type { PlainLazyHandle, TypedValue } from './lazy-handle.ts';
import { openingOf, planOf, type LazyBytesOptions, type LazyNumberOptions, type LazyOptions } from './lazy-options.ts';
import { fillOnce, OnceLine, onceShape } from './once-line.ts';
import { reportLazy, type LazyReport } from './once-report.ts';
import { ValueCell } from './value-cell.ts';

const SHAPE = onceShape(LAZY, 'Lazy', 'The lazy', 'got no value');

let construct: <T>(ref: BlockRef, policy: WaitingPolicy, codec: ValueCodec<unknown>) => Lazy<T>;

/**
 * A value that is computed once, over all threads, when a thread first needs it. All threads see it.
 *
 * - One thread computes the value. The others wait for it.
 * - If the initialiser throws, or its worker dies and is reclaimed, the next caller or one of the waiters computes the
 *   value.
 * - The value is written once and never changes. Each instance decodes it once. Later calls of that instance return the
 *   same object.
 *
 * The value lies in shared memory of a fixed capacity, as bytes that a codec makes. It corresponds to Rust's
 * `OnceLock::get_or_init` and .NET's `Lazy<T>`.
 *
 * ```ts run
 * import { Lazy } from '@sluice/event';
 *
 * const config = Lazy.create<{ port: number }>({ name: 'config', capacity: 4096 });
 * console.log(config.value); // undefined
 * console.log(config.get(() => ({ port: 8080 })).port); // 8080
 * console.log(config.get(() => ({ port: 9090 })).port); // 8080
 * ```
 */
export class Lazy<T> extends Waitable {
  /** The handle to post to another thread. Pass it to `Lazy.from` there. */
  readonly handle: PlainLazyHandle & TypedValue<T>;
  readonly #line: OnceLine;
  readonly #cell: ValueCell;

  static {
    construct = (ref, policy, codec) => new this(ref, policy, codec);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy, codec: ValueCodec<unknown>) {
    const line = new OnceLine(ref, policy, SHAPE);
    super(line.waits);
    this.#line = line;
    this.#cell = new ValueCell(ref, codec, this);
    this.handle = Object.freeze({ ...handleTo('sluice.lazy', ref, LAZY.kernel.id), codec: codec.name });
  }

  /**
   * Creates a lazy without a value.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: LazyNumberOptions): Lazy<number>;
  static create(options: LazyBytesOptions<Uint8Array> & { readonly codec: 'bytes' }): Lazy<Uint8Array>;
  static create<T>(options?: LazyBytesOptions<T>): Lazy<T>;
  static create<T>(options: LazyOptions<T> = {}): Lazy<T> {
    const { codec, capacity, placed } = planOf(options as LazyOptions<never>);
    const [ref, policy] = createLine(
      LAZY,
      placed,
      SHAPE.behaviour,
      (words, lazy) => {
        fillOnce(words, lazy, FLAG_LAST);
        words.put32(lazy + LIMIT, capacity);
      },
      { bytes: BLOCK_LINE + capacity },
    );
    return construct(ref, policy, codec);
  }

  /**
   * Opens the lazy that `handle` refers to. If the lazy was created with a codec of your own, pass the same codec as
   * `codec`.
   *
   * @throws {HandleError} If the handle does not refer to a live lazy.
   * @throws {TypeError} If it was created with another codec.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from<T>(
    handle: PlainLazyHandle & TypedValue<T>,
    options: Pick<LockOptions, 'policy'> & { readonly codec?: ValueCodec<T> | undefined } = {},
  ): Lazy<T> {
    const { codec, placed } = openingOf(handle, options);
    const [ref, policy] = openWithPolicy(LAZY, handle, placed);
    const capacity = ref.context.words.get32(ref.address + LIMIT);
    if ((fixedBytes(codec.name) ?? capacity) !== capacity)
      throw new HandleError(
        `Not a handle of kind sluice.lazy: the lazy that it refers to does not hold a value of the codec "${codec.name}".`,
      );
    return construct(ref, policy, codec);
  }

  /** The value, or `undefined` while there is none. Never waits. */
  get value(): T | undefined {
    return this.#line.isDone ? this.#read() : undefined;
  }

  /**
   * Returns the value. If there is none, runs `initialiser` and stores its result, or blocks while another agent runs
   * its own initialiser.
   *
   * @throws {TypeError} If the codec cannot represent the result of `initialiser`.
   * @throws {RangeError} If the encoded result is larger than the capacity.
   * @throws {DeadlockError} In an initialiser of this lazy, and while an async initialiser of this agent runs.
   * @throws {ClosedError} If the lazy is closed, before or during the call.
   * @throws {MisuseError} If `initialiser` is an async or generator function, or returns a promise; use `getAsync`.
   *   Also on a browser's main thread, unless there is a value.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   * @throws The errors of `initialiser` and of the codec. The attempt has then failed.
   */
  get<R extends T>(initialiser: () => NotPromise<R, UseGetAsync>): T {
    if (typeof initialiser !== 'function') checkFunction(initialiser);
    if (!this.#line.isPublished) {
      checkInitialiser(initialiser, this, 'getAsync');
      this.#line.waits.checkBlocking();
      this.#line.attempt(() => this.#fill(initialiser), Infinity);
    }
    return this.#read();
  }

  /**
   * Returns the value as `get` does, but waits at most `timeoutMs` for another agent's initialiser. Returns `undefined`
   * if there is no value by then.
   *
   * With 0, the default, the call does not wait. It still runs `initialiser` if no agent runs one. The timeout does not
   * limit the initialiser itself.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `get`, but `DeadlockError` only with a timeout.
   */
  tryGet<R extends T>(initialiser: () => NotPromise<R, UseGetAsync>, timeoutMs = 0): T | undefined {
    checkInitialiser(initialiser, this, 'getAsync');
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#line.isPublished || this.#line.attempt(() => this.#fill(initialiser), timeoutMs)
      ? this.#read()
      : undefined;
  }

  /**
   * Returns the value as `get` does, without blocking the thread. `initialiser` may return a promise: the attempt ends
   * when the promise has settled.
   *
   * `timeout` and `signal` end a wait for another agent's initialiser, but not the initialiser that this call runs.
   * Rejects as `get` throws, and with `TimeoutError` or `signal.reason`. It rejects with `DeadlockError` only if an
   * async initialiser makes the call before its first `await`. An initialiser that awaits the same lazy later waits for
   * itself until the timeout.
   */
  async getAsync(initialiser: () => T | PromiseLike<T>, options: WaitOptions = NO_WAIT_OPTIONS): Promise<T> {
    checkAsyncInitialiser(initialiser, this);
    const checked = checkWait(options);
    const settled = this.#line.isPublished
      ? this.#line.waits.context.budget.spend()
      : this.#line.attemptAsync(async () => this.#cell.write(await initialiser()), checked);
    if (settled !== undefined) await settled;
    return this.#read();
  }

  /**
   * Waits until there is a value, blocking the calling thread, and returns it. Runs no initialiser.
   *
   * A failed attempt does not end the wait.
   *
   * @throws The errors of `get`.
   */
  wait(): T {
    this.#line.waits.checkBlocking();
    this.#line.stay(Infinity);
    return this.#read();
  }

  /**
   * Waits as `wait` does, for at most `timeoutMs`. Returns `undefined` if there is no value by then. With 0, the
   * default, the call does not wait.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  tryWait(timeoutMs = 0): T | undefined {
    return this.#line.stay(timeoutMs) ? this.#read() : undefined;
  }

  /**
   * Waits until there is a value, without blocking the thread. Runs no initialiser.
   *
   * Rejects with `TimeoutError`, `signal.reason`, `ClosedError` or `ArenaFullError`.
   */
  async waitAsync(options?: WaitOptions): Promise<T> {
    await this.#line.stayAsync(options);
    return this.#read();
  }

  /** Returns a snapshot of the lazy: the fields of a once, and the codec and capacity. */
  inspect(): LazyReport {
    return reportLazy(this.#line.waits.ref, this.#line.waits.report(), this.#cell.codec);
  }

  /** Whether an initialiser has returned. If true, this thread sees the initialiser's writes. */
  get isDone(): boolean {
    return this.#line.isDone;
  }

  /**
   * Closes the lazy, unless it is done. Returns whether this call closed it. No initialiser begins afterwards, and
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

  #read(): T {
    return this.#cell.read() as T;
  }

  #fill(initialiser: () => unknown): void {
    this.#cell.write(callHere(initialiser, this, 'getAsync'));
  }
}
