// The recursive mutex: as the mutex, and its owner may lock it again.
// After Preshing's RecursiveBenaphore. The words, states and invariants are in core's kernel/mutex.ts.

import { Holdable, type OwnerDiedOptions, type RunOptions, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  checkOptions,
  checkTimeout,
  checkWait,
  findPrimitive,
  FULL,
  FROM_OPTIONS,
  handleTo,
  IDLE,
  KIND_RECURSIVE_MUTEX,
  mayBlock,
  mergePolicy,
  MOST_DEPTH,
  refuseToBlock,
  TAKEN,
  waitIn,
  type Kernel,
  type Place,
  type PrimitiveHandle,
  type LocalState,
} from '@sluice/core/internal';
import { AnyMutex, createMutex, type MutexOptions } from './any-mutex.ts';

export type RecursiveMutexHandle = PrimitiveHandle<'sluice.recursive-mutex'>;

let construct: (place: Place, policy: WaitingPolicy) => RecursiveMutex;

/**
 * A mutex that its owner may lock again, up to 65,535 times; it is free when it was unlocked as often. Otherwise as `Mutex`.
 *
 * Ownership is the agent's: a task of the agent that owns it goes in at once, also when another task of the same agent locked
 * it, or inherited it from an owner that died and was told. To keep tasks of one agent apart take a `Mutex`.
 *
 * ```ts run
 * import { RecursiveMutex } from '@sluice/mutex';
 *
 * const tree = RecursiveMutex.create();
 * const depth = (left: number): number => tree.run(() => (left === 0 ? tree.inspect().depth : depth(left - 1)));
 * console.log(depth(3), tree.inspect().depth); // 4 0
 * ```
 */
export class RecursiveMutex extends AnyMutex {
  /** Post this to another thread and give it to `RecursiveMutex.from` there. */
  readonly handle: RecursiveMutexHandle;
  // What the uncontended paths need, each a field of its own: a lookup less per call.
  readonly #mutex: number;
  readonly #localState: LocalState;
  readonly #id: number;
  readonly #relock: Kernel['relock'];
  readonly #unrelock: Kernel['unrelock'];

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    super(place, policy, { className: 'RecursiveMutex', what: 'The recursive mutex' });
    const { kernel, id } = place.context;
    this.#mutex = place.address;
    this.#localState = this.bouncer.localState;
    this.#id = id;
    this.#relock = kernel.relock;
    this.#unrelock = kernel.unrelock;
    this.handle = handleTo('sluice.recursive-mutex', place);
  }

  /** A new mutex, free. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(options: MutexOptions = {}): RecursiveMutex {
    return construct(...createMutex(KIND_RECURSIVE_MUTEX, options));
  }

  /** The mutex that a handle leads to. Throws `HandleError`; `ArenaFullError` when no record is left for this agent. */
  static from(handle: RecursiveMutexHandle, options: Pick<MutexOptions, 'policy'> = {}): RecursiveMutex {
    checkOptions(options, FROM_OPTIONS);
    const place = findPrimitive(handle, 'sluice.recursive-mutex', KIND_RECURSIVE_MUTEX);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /**
   * Blocks until this agent owns the mutex, or goes one deeper if it does. Throws `RangeError` (as deep as may be),
   * `MisuseError` (on a browser's main thread), `OwnerDiedError` (with the guard, if it is to be had), `DeadlockError`
   * (behind an async wait of this same agent), `ArenaFullError`.
   */
  override lock(): void {
    if (!mayBlock()) refuseToBlock();
    if (!this.#lockAtOnce()) super.lock();
  }

  /** Waits `timeoutMs` ms at the most, with 0 not at all; whether this agent owns the mutex now. Never barges. Throws as `lock`. */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#lockAtOnce() || super.tryLock(timeoutMs);
  }

  /** Resolves when this agent owns the mutex: at once if it does already. Rejects as `lock` throws. */
  override async lockAsync(options?: WaitOptions): Promise<void> {
    const checked = options === undefined ? options : checkWait(options);
    if (!this.#lockAtOnce()) await super.lockAsync(checked);
  }

  /** Comes one up, and from the outermost lock gives the mutex to the next in line. Throws `MisuseError`: not the owner. */
  override unlock(): void {
    if (this.#unrelock(this.#mutex, this.#localState.tag, this.#id) !== IDLE) super.unlock();
  }

  override run<T>(body: () => T, options?: OwnerDiedOptions): T {
    // Deeper inside there is no notice to be declined: the outermost lock had it.
    return this.isOwner() ? Holdable.prototype.run.call(this, body) as T : super.run(body, options);
  }

  override async runAsync<T>(body: () => T | PromiseLike<T>, options?: RunOptions): Promise<T> {
    if (!this.isOwner()) return super.runAsync(body, options);
    return Holdable.prototype.runAsync.call(this, body, options === undefined ? options : waitIn(options)) as Promise<T>;
  }

  /** Takes it without a visit to the line. */
  #lockAtOnce(): boolean {
    const outcome = this.#relock(this.#mutex, this.#localState.tag, this.#id);
    if (outcome === FULL) throw new RangeError(`The recursive mutex is locked ${MOST_DEPTH} times by this agent, and not deeper. Nothing was locked.`);
    return outcome === TAKEN;
  }
}

/** A recursive mutex over words that already lie somewhere: for models. */
export function recursiveMutexAt(place: Place, policy: WaitingPolicy): RecursiveMutex {
  return construct(place, policy);
}
