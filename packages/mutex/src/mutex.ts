// The mutex: one word as box office, in front of core's fair semaphore as the bouncer.
// After Preshing, "Semaphores are Surprisingly Versatile", section 1 (NonRecursiveBenaphore). Ours: the owner's id in the word,
// waits that can be given up, recovery. The words, states and invariants are in core's kernel/mutex.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  checkOptions,
  checkTimeout,
  findPrimitive,
  FROM_OPTIONS,
  handleTo,
  IDLE,
  KIND_MUTEX,
  mayBlock,
  mergePolicy,
  refuseToBlock,
  TAKEN,
  type Kernel,
  type Place,
  type PrimitiveHandle,
  type LocalState,
} from '@sluice/core/internal';
import { AnyMutex, createMutex, type MutexOptions } from './any-mutex.ts';

export type MutexHandle = PrimitiveHandle<'sluice.mutex'>;

let construct: (place: Place, policy: WaitingPolicy) => Mutex;

/**
 * A mutex for all agents of an arena: one owns it at a time, and only that one can unlock it.
 *
 * Promises: strict first come, first served over blocking and async waiters together; uncontended `lock` and `unlock`
 * touch one word, and no other agent; a wait that is given up leaves nothing behind; a lock that comes before the timeout or
 * the abort wins. When its owner dies and is reclaimed, the next one gets it with `OwnerDiedError` (see `OwnedLock`).
 * Ownership is the agent's: two async tasks of one agent stand in line as two, but either could unlock for the other, so
 * use `runAsync` or guards.
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
export class Mutex extends AnyMutex {
  /** Post this to another thread and give it to `Mutex.from` there. */
  readonly handle: MutexHandle;
  // What the uncontended paths need, each a field of its own: a lookup less per call.
  readonly #mutex: number;
  readonly #localState: LocalState;
  readonly #id: number;
  readonly #lock: Kernel['lock'];
  readonly #lockOnce: Kernel['lock'];
  readonly #unlock: Kernel['unlock'];

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    super(place, policy, { className: 'Mutex', what: 'The mutex' });
    const { kernel, id } = place.context;
    this.#mutex = place.address;
    this.#localState = this.bouncer.localState;
    this.#id = id;
    this.#lock = mayBlock() ? kernel.lock : refuseToBlock;
    this.#lockOnce = kernel.lock;
    this.#unlock = kernel.unlock;
    this.handle = handleTo('sluice.mutex', place);
  }

  /** A new mutex, free. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(options: MutexOptions = {}): Mutex {
    return construct(...createMutex(KIND_MUTEX, options));
  }

  /** The mutex that a handle leads to. Throws `HandleError`; `ArenaFullError` when no record is left for this agent. */
  static from(handle: MutexHandle, options: Pick<MutexOptions, 'policy'> = {}): Mutex {
    checkOptions(options, FROM_OPTIONS);
    const place = findPrimitive(handle, 'sluice.mutex', KIND_MUTEX);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /**
   * Blocks until this agent owns the mutex. Throws `MisuseError` (it owns it already; on a browser's main thread),
   * `OwnerDiedError` (with the guard, if it is to be had), `DeadlockError` (behind an async wait of this same agent),
   * `ArenaFullError`.
   */
  override lock(): void {
    if (this.#lock(this.#mutex, this.#localState.tag, this.#id) !== TAKEN) super.lock();
  }

  /**
   * Waits `timeoutMs` ms at the most, with 0 not at all; whether this agent owns the mutex now. Never barges. Throws as
   * `lock`; `MisuseError` and `DeadlockError` only without an end (`Infinity`).
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#lockOnce(this.#mutex, this.#localState.tag, this.#id) === TAKEN || super.tryLock(timeoutMs);
  }

  /** Gives the mutex to the next in line. Throws `MisuseError` when this agent does not own it. */
  override unlock(): void {
    if (this.#unlock(this.#mutex, this.#localState.tag, this.#id) !== IDLE) super.unlock();
  }
}

/** A mutex over words that already lie somewhere: for models. */
export function mutexAt(place: Place, policy: WaitingPolicy): Mutex {
  return construct(place, policy);
}
