// The mutex: one word, the box office, in front of core's fair semaphore, the bouncer. After Preshing, "Semaphores are
// Surprisingly Versatile", section 1 (NonRecursiveBenaphore). Our additions: the owner's id in the word, cancellation,
// recovery. The words, states and invariants are in kernel/mutex.ts.

import { OwnedLock, type Arena, type WaitingPolicy } from '@sluice/core';
import { CONSISTENT, IDLE, TAKEN, WAITING } from '@sluice/core/format';
import { checkTimeout, INSPECT, refuseToBlock, reserveStack } from '@sluice/core/calls';
import {
  FLAT,
  handleTo,
  LOCK_LINE,
  mayBlock,
  openWithPolicy,
  unfollowed,
  type BlockRef,
  type PrimitiveHandle,
  type LineState,
  type LockLine,
} from '@sluice/core/internal';
import { createMutex, type MutexData, type MutexOptions } from './create-mutex.ts';
import { MUTEX, type MutexSteps } from './kinds.ts';
import { MutexParts } from './mutex-parts.ts';
import type { MutexReport } from './report.ts';
import type { ContendedPath } from './contended-path.ts';

export type MutexHandle = PrimitiveHandle<'sluice.mutex'>;

let construct: (ref: BlockRef, policy: WaitingPolicy) => Mutex;

/**
 * A fair mutual-exclusion lock, shared by all agents of an arena. One agent owns it at a time; only the owner can
 * unlock it.
 *
 * - Waiters get the mutex in FIFO order, blocking and async waiters together. A running thread may pass them for a turn
 *   of half a millisecond; with the order `'fifo'` it may not.
 * - An uncontended `lock` or `unlock` touches one word and involves no other agent.
 * - A wait that times out or is aborted does not take the mutex. A lock that is granted before the timeout or the abort
 *   wins.
 * - When the owner dies and is reclaimed, the next owner gets the mutex with `OwnerDiedError` (see `OwnedLock`).
 *
 * The owner is an agent, not a task: two async tasks of one agent wait in line separately, but either could unlock for
 * the other. Use `runAsync` or guards to prevent that.
 *
 * ```ts run
 * import { Region } from '@sluice/core';
 * import { Mutex } from '@sluice/mutex';
 *
 * const mutex = Mutex.create({ name: 'tally' });
 * const tally = Region.create(4).int32;
 * console.log(mutex.run(() => (tally[0] += 1))); // 1
 * console.log(mutex.tryLock(), mutex.tryLock(10)); // true false
 * mutex.unlock();
 * ```
 */
export class Mutex extends OwnedLock {
  /** The handle to post to another thread. Pass it to `Mutex.from` there. */
  readonly handle: MutexHandle;
  readonly #parts: MutexParts;
  // Fields for the uncontended paths. They read numbers from the line state where possible: the engine knows that its
  // fields are integers.
  readonly #lineState: LineState;
  readonly #way: ContendedPath;
  readonly #id: number;
  readonly #lock: MutexSteps['lockMutex'];
  readonly #lockOnce: MutexSteps['lockMutex'];
  readonly #unlock: MutexSteps['unlockMutex'];

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    const parts = new MutexParts(ref, policy, MUTEX, { className: 'Mutex', what: 'The mutex' });
    const { entrance, kernel, way } = parts;
    super(entrance);
    this.#parts = parts;
    this.#lineState = entrance.lineState;
    this.#way = way;
    this.#id = ref.context.id;
    this.#lock = mayBlock() ? kernel.lockMutex : refuseToBlock;
    this.#lockOnce = kernel.lockMutex;
    this.#unlock = kernel.unlockMutex;
    this.handle = handleTo('sluice.mutex', ref, MUTEX.kernel.id);
  }

  /**
   * Creates an unlocked mutex.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown, or `order` is neither `'turns'` nor `'fifo'`.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: MutexOptions = {}): Mutex {
    return construct(...createMutex(MUTEX, options));
  }

  /**
   * Opens the mutex that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live mutex.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: MutexHandle, options: Pick<MutexOptions, 'policy'> = {}): Mutex {
    return construct(...openWithPolicy(MUTEX, handle, options));
  }

  /**
   * Locks the mutex, blocking the calling thread until this agent owns it.
   *
   * Waiters get the mutex in FIFO order, together with async waiters. A running thread may lock it again before them
   * for a turn of half a millisecond, unless the `order` is `'fifo'`. A waiter with w waiters before it waits at most w
   * + 1 turns, plus the time of critical sections and wake-ups.
   *
   * @throws {MisuseError} If this agent already owns the mutex, or on a browser's main thread; use `lockAsync` there.
   * @throws {OwnerDiedError} If an owner died. If the error has a guard, this agent owns the mutex; otherwise it was
   *   not locked.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this mutex, which could not settle while the
   *   agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override lock(): void {
    const { block, tag } = this.#lineState;
    if (this.#lock(block, tag, this.#id) === TAKEN) return;
    const health = this.#way.enter();
    if (health === WAITING) super.lock();
    else if (health !== CONSISTENT) this.heedNotice();
  }

  /**
   * Locks the mutex if it becomes available within `timeoutMs`; returns whether it did.
   *
   * With 0, the default, the call does not wait. It takes a free mutex even if other agents wait. With the order
   * `'fifo'` a mutex with waiters is never free.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `lock`, but `DeadlockError`, and `MisuseError` for a mutex that this agent already owns, only
   *   if `timeoutMs` is `Infinity`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { block, tag } = this.#lineState;
    return this.#lockOnce(block, tag, this.#id) === TAKEN || super.tryLock(timeoutMs);
  }

  /**
   * Unlocks the mutex. If the turn is over, hands it off to the longest waiter. With the order `'fifo'`, every unlock
   * does so.
   *
   * @throws {MisuseError} If this agent does not own the mutex.
   */
  override unlock(): void {
    const { block, tag } = this.#lineState;
    if (this.#unlock(block, tag, this.#id) === IDLE) return;
    // A stack overflow after the mutex is passed on would leave the next owner asleep.
    reserveStack();
    if (this.#way.passOn?.() !== true) super.unlock();
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

  /** The part that enters the mutex while it is in use. Models read it. */
  protected get way(): ContendedPath {
    return this.#way;
  }

  /** The line of this mutex, for its conditions. */
  get [LOCK_LINE](): LockLine {
    return this.#parts.lineWith({ ...FLAT, heedNotice: () => this.heedNotice() });
  }
}

/** Creates an unlocked mutex with data behind its line. Throws as `Mutex.create` does. */
export function createMutexWithData(options: MutexOptions, data: MutexData): Mutex {
  return unfollowed(() => construct(...createMutex(MUTEX, options, data)));
}

/** Returns an object for the mutex at `ref`, without a handle. */
export function mutexAt(ref: BlockRef, policy: WaitingPolicy): Mutex {
  return unfollowed(() => construct(ref, policy));
}
