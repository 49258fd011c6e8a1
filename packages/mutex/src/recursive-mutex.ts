// The recursive mutex: a mutex that its owner may lock again.
// After Preshing's RecursiveBenaphore. The words, states and invariants are in kernel/mutex.ts.

import {
  OwnedLock,
  type Arena,
  type NotPromise,
  type OwnerDiedOptions,
  type RunOptions,
  type WaitingPolicy,
  type WaitOptions,
} from '@sluice/core';
import { CONSISTENT, IDLE, OVERFLOW, TAKEN, WAITING } from '@sluice/core/format';
import {
  checkTimeout,
  checkWait,
  INSPECT,
  refuseToBlock,
  reserveStack,
  runLocked,
  runLockedAsync,
  waitIn,
} from '@sluice/core/calls';
import {
  handleTo,
  LOCK_LINE,
  mayBlock,
  openWithPolicy,
  type LockLine,
  type BlockRef,
  type PrimitiveHandle,
  type LineState,
} from '@sluice/core/internal';
import { createMutex, type MutexOptions } from './create-mutex.ts';
import { DEPTH, MAX_DEPTH } from './kernel/layout.ts';
import { RECURSIVE_MUTEX, type MutexSteps } from './kinds.ts';
import { MutexParts } from './mutex-parts.ts';
import type { MutexReport } from './report.ts';
import type { ContendedPath } from './contended-path.ts';

export type RecursiveMutexHandle = PrimitiveHandle<'sluice.recursive-mutex'>;

let construct: (ref: BlockRef, policy: WaitingPolicy) => RecursiveMutex;

/**
 * A recursive (reentrant) mutex: its owner may lock it again, up to a depth of 65,535. The mutex is free after the
 * owner has called `unlock` once per lock.
 *
 * It promises the same as `Mutex`. The owner is an agent, not a task. While an agent owns the mutex, every task of that
 * agent can lock it at once, even if another task of the agent locked it or got the notice of a dead owner. To exclude
 * tasks of one agent from each other, use `Mutex`.
 *
 * ```ts run
 * import { RecursiveMutex } from '@sluice/mutex';
 *
 * const tree = RecursiveMutex.create();
 * const depth = (left: number): number => tree.run(() => (left === 0 ? tree.inspect().depth : depth(left - 1)));
 * console.log(depth(3), tree.inspect().depth); // 4 0
 * ```
 */
export class RecursiveMutex extends OwnedLock {
  /** The handle to post to another thread. Pass it to `RecursiveMutex.from` there. */
  readonly handle: RecursiveMutexHandle;
  readonly #parts: MutexParts;
  // Fields for the uncontended paths. They read numbers from the line state where possible: the engine knows that its
  // fields are integers.
  readonly #lineState: LineState;
  readonly #way: ContendedPath;
  readonly #id: number;
  readonly #relock: MutexSteps['relockMutex'];
  readonly #unrelock: MutexSteps['unrelockMutex'];

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    const parts = new MutexParts(ref, policy, RECURSIVE_MUTEX, {
      className: 'RecursiveMutex',
      what: 'The recursive mutex',
    });
    const { entrance, kernel, way } = parts;
    super(entrance);
    this.#parts = parts;
    this.#lineState = entrance.lineState;
    this.#way = way;
    this.#id = ref.context.id;
    this.#relock = kernel.relockMutex;
    this.#unrelock = kernel.unrelockMutex;
    this.handle = handleTo('sluice.recursive-mutex', ref, RECURSIVE_MUTEX.kernel.id);
  }

  /**
   * Creates an unlocked recursive mutex.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: MutexOptions = {}): RecursiveMutex {
    return construct(...createMutex(RECURSIVE_MUTEX, options));
  }

  /**
   * Opens the recursive mutex that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live recursive mutex.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: RecursiveMutexHandle, options: Pick<MutexOptions, 'policy'> = {}): RecursiveMutex {
    return construct(...openWithPolicy(RECURSIVE_MUTEX, handle, options));
  }

  /**
   * Locks the mutex, blocking the calling thread until this agent owns it. If this agent already owns it, the depth
   * rises by one.
   *
   * @throws {RangeError} If this agent already holds it at a depth of 65,535.
   * @throws {MisuseError} On a browser's main thread; use `lockAsync`.
   * @throws {OwnerDiedError} If an owner died. If the error has a guard, this agent owns the mutex; otherwise it was
   *   not locked.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this mutex, which could not settle while the
   *   agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override lock(): void {
    if (!mayBlock()) refuseToBlock();
    if (this.#lockAtOnce()) return;
    const health = this.#way.enter();
    if (health === WAITING) super.lock();
    else if (health !== CONSISTENT) this.heedNotice();
  }

  /**
   * Locks the mutex if it becomes available within `timeoutMs`; returns whether it did. If this agent already owns it,
   * the depth rises by one at once.
   *
   * With 0, the default, the call does not wait. It takes a free mutex even if other agents wait. With the order
   * `'fifo'` a mutex with waiters is never free.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `lock`, but `MisuseError` only if the call has to wait, and `DeadlockError` only if
   *   `timeoutMs` is `Infinity`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#lockAtOnce() || super.tryLock(timeoutMs);
  }

  /**
   * Locks the mutex without blocking the thread. The promise resolves when this agent owns the mutex. If this agent
   * already owns it, the call does not wait.
   *
   * Rejects with `RangeError` and `OwnerDiedError` as `lock` throws them, and with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`.
   */
  override async lockAsync(options?: WaitOptions): Promise<void> {
    const checked = options === undefined ? options : checkWait(options);
    const settled = this.#lockAtOnce() ? this.#parts.entrance.context.budget.spend() : super.lockAsync(checked);
    if (settled !== undefined) await settled;
  }

  /**
   * Undoes one lock. The last unlock frees the mutex. If the turn is over, the last unlock hands the mutex off to the
   * longest waiter. With the order `'fifo'`, every last unlock does so.
   *
   * @throws {MisuseError} If this agent does not own the mutex.
   */
  override unlock(): void {
    const { block, tag } = this.#lineState;
    if (this.#unrelock(block, tag, this.#id) === IDLE) return;
    // A stack overflow after the mutex is passed on would leave the next owner asleep.
    reserveStack();
    if (this.#way.passOn?.() !== true) super.unlock();
  }

  override run<T>(body: () => NotPromise<T>, options?: OwnerDiedOptions): T {
    // In a nested lock there is no notice to decline: the outermost lock received it.
    return this.owned ? runLocked(this, body) : super.run(body, options);
  }

  override async runAsync<T>(body: () => T | PromiseLike<T>, options?: RunOptions): Promise<T> {
    if (!this.owned) return super.runAsync(body, options);
    return runLockedAsync(this, body, options === undefined ? options : waitIn(options));
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    return this.#parts.entrance.name;
  }

  /** The arena that contains the lock. */
  get arena(): Arena {
    return this.#parts.entrance.ref.arena;
  }

  /**
   * Returns a snapshot of the mutex: its owner, its waiters, the start of each wait, and the state of the mutex after
   * an owner's death.
   */
  inspect(): MutexReport {
    return this.#parts.report();
  }

  /**
   * Frees the lock's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the lock. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If an agent owns the lock or waits for it, or it was already freed.
   */
  free(): void {
    this.#parts.entrance.free();
  }

  override [INSPECT](): string {
    return this.#parts.entrance.view(() => this.inspect());
  }

  /** The line of this mutex, for its conditions. */
  get [LOCK_LINE](): LockLine {
    const { ref } = this.#parts.entrance;
    const { words } = ref.context;
    const depth = ref.address + DEPTH;
    return this.#parts.lineWith({
      heedNotice: () => this.heedNotice(),
      takeDepth: () => {
        const found = words.get32(depth);
        words.put32(depth, 0);
        return found;
      },
      addDepth: (more) => words.put32(depth, words.get32(depth) + more),
    });
  }

  /**
   * Locks the mutex without waiting if it is free or this agent owns it. Returns whether it did. Throws `RangeError` at
   * the maximum depth.
   */
  #lockAtOnce(): boolean {
    const { block, tag } = this.#lineState;
    const outcome = this.#relock(block, tag, this.#id);
    if (outcome === OVERFLOW)
      throw new RangeError(
        `${this.toString()} is locked ${MAX_DEPTH} times by this agent, which is the maximum depth. It was not locked again.`,
      );
    return outcome === TAKEN;
  }
}

/** Creates a recursive mutex object over existing words, for models. */
export function recursiveMutexAt(ref: BlockRef, policy: WaitingPolicy): RecursiveMutex {
  return construct(ref, policy);
}
