// The condition variable, as one agent sees it. The words, states and invariants are in kernel/condition.ts.

import { HandleError, MisuseError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import { FLAG_COUNTS_WAITS, FLAGS, OFFICE, SHUT, TAKEN } from '@sluice/core/format';
import {
  checkFunction,
  checkInteger,
  checkOptions,
  checkTimeout,
  checkWait,
  NO_WAIT_OPTIONS,
} from '@sluice/core/calls';
import {
  createLine,
  finishPending,
  handleTo,
  LOCK_LINE,
  openWithPolicy,
  Waitable,
  PrimitiveLine,
  type LineState,
  type LockOptions,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { heldEntries } from '@sluice/core/report';
import { LOCK, LOCK_TAG, MAX_NOTIFIED } from './kernel/layout.ts';
import { CONDITION } from './kinds.ts';
import { lineOf, type ConditionLock } from './lock-of.ts';
import { Notifier } from './notifier.ts';
import { PredicateWaits } from './predicate-waits.ts';
import { reportCondition, type ConditionReport } from './report.ts';
import { SHAPE } from './shape.ts';
import { ConditionWait } from './condition-wait.ts';

export type ConditionHandle = PrimitiveHandle<'sluice.condition'>;
/** The condition lies in the arena of its lock. */
export type ConditionOptions = Omit<LockOptions, 'arena'>;

const OPTIONS: readonly string[] = ['name', 'policy'];

let construct: (ref: BlockRef, policy: WaitingPolicy, lock: ConditionLock) => Condition;

/**
 * A condition variable of a mutex or a write lock: an agent that holds the lock waits until another agent notifies it.
 *
 * - `wait` enqueues the caller before it unlocks the lock, so no notification is lost. However the wait ends, the lock
 *   is held.
 * - `notify` notifies the waiters that have waited longest. A notification is not stored: with no waiter it has no
 *   effect.
 * - A notified waiter that sleeps moves to the lock's line and wakes when it owns the lock. So `notifyAll` of n waiters
 *   does not start n threads at once to contend for the lock.
 * - A waiter that times out, is aborted or dies takes no notification with it: the next waiter gets it.
 *
 * Wait in a loop, or with `waitFor`. Between the notification and the return of `wait`, another agent may take the lock
 * and change the data that the caller waits for.
 *
 * ```ts run
 * import { Region } from '@sluice/core';
 * import { Condition, Mutex } from '@sluice/mutex';
 *
 * const mutex = Mutex.create();
 * const changed = Condition.create(mutex);
 * const items = Region.create(4).int32;
 *
 * mutex.lock();
 * const item = changed.waitForAsync(() => items[0] > 0).then(() => {
 *   items[0] -= 1;
 *   mutex.unlock();
 * });
 * // The wait has unlocked the mutex.
 * mutex.run(() => {
 *   items[0] += 1;
 *   console.log(changed.notify()); // 1
 * });
 * await item;
 * console.log(items[0]); // 0
 * ```
 */
export class Condition extends Waitable {
  /** The handle to post to another thread, with the handle of the lock. Pass both to `Condition.from` there. */
  readonly handle: ConditionHandle;
  readonly #lock: ConditionLock;
  readonly #line: PrimitiveLine;
  readonly #wait: ConditionWait;
  readonly #predicates: PredicateWaits;
  readonly #notifier: Notifier;
  readonly #lineState: LineState;

  static {
    construct = (ref, policy, lock) => new this(ref, policy, lock);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy, lock: ConditionLock) {
    const waits = new PrimitiveLine(ref, policy, SHAPE);
    super(waits);
    this.#lock = lock;
    this.#line = waits;
    this.#lineState = waits.lineState;
    this.#wait = new ConditionWait(ref, this.#lineState, policy, lock, waits.errors);
    this.#predicates = new PredicateWaits({
      parking: ref.context.parking,
      title: this,
      checkOwned: () => this.#checkOwned(),
      block: (timeoutMs) => this.#block(timeoutMs),
      async: (options) => this.#await(options),
    });
    this.#notifier = new Notifier(ref, this.#lineState, lock[LOCK_LINE]);
    this.handle = handleTo('sluice.condition', ref, CONDITION.kernel.id);
  }

  /**
   * Creates a condition of a lock. A lock may have several conditions.
   *
   * @param lock - A `Mutex`, a `RecursiveMutex` or the `writer` of an `RwLock`.
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If `lock` cannot have conditions, or an option has the wrong type or is unknown.
   * @throws {MisuseError} If the lock was freed.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(lock: ConditionLock, options: ConditionOptions = {}): Condition {
    const {
      ref: { arena, address, tag },
    } = lineOf(lock);
    checkOptions(options, OPTIONS);
    const [ref, policy] = createLine(CONDITION, { ...options, arena }, SHAPE.behaviour, (words, condition) => {
      words.put32(condition + FLAGS, FLAG_COUNTS_WAITS);
      words.put32(condition + LOCK, address);
      words.put32(condition + LOCK_TAG, tag);
    });
    return construct(ref, policy, lock);
  }

  /**
   * Opens the condition that `handle` refers to.
   *
   * @param lock - The lock for which the condition was created, opened in this thread.
   * @throws {HandleError} If the handle does not refer to a live condition of that lock.
   * @throws {TypeError} If `lock` cannot have conditions.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: ConditionHandle, lock: ConditionLock, options: Pick<ConditionOptions, 'policy'> = {}): Condition {
    const {
      ref: { arena, address, tag },
    } = lineOf(lock);
    const [ref, policy] = openWithPolicy(CONDITION, handle, options);
    const { words } = ref.context;
    const isItsLock =
      ref.arena === arena && words.get32(ref.address + LOCK) === address && words.get32(ref.address + LOCK_TAG) === tag;
    if (!isItsLock)
      throw new HandleError(
        `The handle refers to a condition of a lock other than ${lock.toString()}. Pass the lock for which the condition was created.`,
      );
    return construct(ref, policy, lock);
  }

  /** The lock of this condition. */
  get lock(): ConditionLock {
    return this.#lock;
  }

  /**
   * Unlocks the lock, blocks the calling thread until it is notified, and locks the lock again.
   *
   * Waiters are notified in the order of their calls, blocking and async waiters alike. The lock is held when the call
   * returns or throws, except where an error says otherwise. A recursive mutex is unlocked at any depth, and its depth
   * is restored.
   *
   * @throws {MisuseError} If this agent does not own the lock, or on a browser's main thread; use `waitAsync` there.
   * @throws {OwnerDiedError} If an owner of the lock died meanwhile. If the error has a guard, this agent owns the
   *   lock; otherwise it does not.
   * @throws {DeadlockError} If this agent has an async waiter here or at the lock, which could not settle while the
   *   agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter. Then the lock was not unlocked.
   */
  wait(): void {
    this.#block(Infinity);
  }

  /**
   * Waits as `wait` does, but at most `timeoutMs` for the notification. Returns whether the notification came.
   *
   * The timeout does not bound the time to lock the lock again. With 0, the default, the call returns `false` and does
   * not unlock the lock.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `wait`; `DeadlockError` for an async waiter of this condition only if `timeoutMs` is
   *   `Infinity`.
   */
  tryWait(timeoutMs = 0): boolean {
    checkTimeout(timeoutMs);
    return this.#block(timeoutMs);
  }

  /**
   * Waits as `wait` does, without blocking the thread. Unlocks the lock before it returns. The promise settles when
   * this agent owns the lock again.
   *
   * Rejects with `TimeoutError` or `signal.reason` if the timeout or the abort came before the notification. The lock
   * is held then, too: neither the timeout nor the abort ends the following wait for the lock. Otherwise rejects as
   * `wait` throws. A pending wait keeps the event loop alive, unless `ref` is `false`. The lock's owner is an agent,
   * not a task: until the promise settles, other tasks of this agent may own the lock.
   */
  async waitAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const checked = checkWait(options);
    this.#checkOwned();
    await this.#await(checked);
  }

  /**
   * Waits until `predicate` returns true, for at most `timeoutMs`. Returns whether `predicate` returned true. Calls
   * `predicate` with the lock held, at least once.
   *
   * @param timeoutMs - Milliseconds, 0 or more. Default: no limit.
   * @throws The errors of `wait`, and those of `predicate`, with the lock held.
   */
  waitFor(predicate: () => boolean, timeoutMs = Infinity): boolean {
    checkFunction(predicate);
    checkTimeout(timeoutMs);
    return this.#predicates.waitFor(predicate, timeoutMs);
  }

  /**
   * Waits as `waitFor` does, without blocking the thread. Rejects with `TimeoutError` or `signal.reason` if `predicate`
   * did not return true in time, with the lock held. Before it rejects, the call locks the lock again and calls
   * `predicate` once more. If `predicate` returns true, the promise resolves.
   */
  async waitForAsync(predicate: () => boolean, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    checkFunction(predicate);
    await this.#predicates.waitForAsync(predicate, checkWait(options));
    const later = this.#line.context.budget.spend();
    if (later !== undefined) await later;
  }

  /**
   * Notifies the `n` waiters that have waited longest. Returns the number of waiters notified.
   *
   * Any agent may call it, with or without the lock. It never blocks. If the caller holds the lock, no waiter wakes
   * before the caller unlocks it.
   *
   * @param n - 1 to 2^31 − 1. Default: 1.
   */
  notify(n = 1): number {
    if (n !== 1) checkInteger('The number to notify', n, 1, MAX_NOTIFIED);
    return this.#notified(n);
  }

  /**
   * Notifies all agents that wait at the moment of the call. Returns the number of waiters notified. They get the lock
   * one after another, in the order of their waits.
   */
  notifyAll(): number {
    this.#line.checkThere();
    return this.#notified(this.#line.context.words.load32(this.#line.ref.address + OFFICE));
  }

  /** Returns a snapshot of the condition: its waiters and the start of each wait. */
  inspect(): ConditionReport {
    return reportCondition(this.#line.ref, this.#line.report());
  }

  /**
   * Frees the memory of the condition, which another primitive may then reuse.
   *
   * No agent may be inside a call on the condition. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If agents wait for the condition, a notified agent does not own the lock yet, or the
   *   condition was already freed.
   */
  override free(): void {
    this.#line.checkThere();
    finishPending(this.#line.context);
    if (heldEntries(this.#line.context, this.#line.ref).length > 0)
      throw this.#wait.errors.inUse(this.waiting > 0 ? '' : ' A waiter was notified and does not own the lock yet.');
    super.free();
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { lock: this.#lock.toString(), waiting: this.waiting };
  }

  #block(timeoutMs: number): boolean {
    this.#line.checkBlocking();
    this.#checkOwned();
    if (timeoutMs === 0) return false;
    const ended = this.#wait.block(timeoutMs);
    if (ended === SHUT) this.#line.checkThere();
    return ended === TAKEN;
  }

  async #await(options: WaitOptions): Promise<void> {
    if ((await this.#wait.async(options)) === SHUT) this.#line.checkThere();
  }

  #notified(most: number): number {
    const notified = this.#notifier.notify(most);
    // The condition was freed: this call throws the `MisuseError`.
    if (notified < 0) this.#line.checkThere();
    return notified;
  }

  #checkOwned(): void {
    this.#line.checkThere();
    if (!this.#lock.owned) {
      throw new MisuseError(
        `${this.toString()} cannot be waited for: this agent (agent ${this.#line.context.id}) does not own ${this.#lock.toString()}. Nothing was changed; lock it first.`,
      );
    }
  }
}

/** Creates a condition object over existing words, for models. */
export function conditionAt(ref: BlockRef, policy: WaitingPolicy, lock: ConditionLock): Condition {
  return construct(ref, policy, lock);
}
