// The common part of all owned locks: only the owner may unlock, and the next owner learns of an owner's death.

import { checkAsyncBody, checkBody, refusePromise, reportRejection } from '../api/run-body.ts';
import { MisuseError } from '../api/errors.ts';
import { OwnerDiedError } from '../api/owner-died.ts';
import {
  RecoveryGuard,
  ownerDiedIn,
  RUN_OPTIONS,
  waitIn,
  type OwnerDiedOptions,
  type OnOwnerDied,
  type RunOptions,
} from '../api/owner-died.ts';
import { CONSISTENT, UNRECOVERABLE } from '../kernel/states.ts';
import { Holdable } from '../api/lock.ts';
import { type WaitOptions } from '../api/wait-options.ts';
import type { NotPromise } from '../api/not-promise.ts';
import { reserveStack } from '../platform/reserve-stack.ts';
import { refusePosting } from '../platform/unpostable.ts';
import { observer } from '../agent/observer.ts';
import type { Entrance } from './entrance.ts';
import { raise, repairThen, repairThenAsync, type PendingRepair, type Repair } from './pending-repair.ts';

/**
 * A lock that one agent owns at a time. Only the owner can unlock it (a robust lock in POSIX terms). A lock package
 * passes the lock's entrance to the constructor.
 *
 * When the owner dies and is reclaimed, the next owner gets the lock, and its `lock`, `tryLock` or `lockAsync` fails
 * with `OwnerDiedError`. The new owner owns the lock in spite of the error. The data that the lock protects may be half
 * changed. The new owner repairs the data, calls `markConsistent` on the error's guard, and unlocks.
 *
 * If the new owner unlocks without `markConsistent`, the lock is unrecoverable: every later attempt fails with an
 * `OwnerDiedError` without a guard, until an agent calls `takeOver`. If the new owner dies, too, the owner after it
 * gets the notice.
 *
 * `run` and `runAsync` never leave the lock held. After an owner's death they call `onOwnerDied`, if given, with the
 * guard. If `onOwnerDied` marks the lock consistent, the body runs. Otherwise the call fails without running the body,
 * and the next owner gets the notice.
 */
export abstract class OwnedLock extends Holdable {
  readonly #entrance: Entrance;

  protected constructor(entrance: Entrance) {
    super();
    refusePosting(this);
    this.#entrance = entrance;
    observer?.opened(this, entrance);
  }

  /** Whether this agent owns the lock. */
  get owned(): boolean {
    return this.#entrance.isOwner();
  }

  /** The way into the lock, for the calls that hold several locks. @internal */
  get entrance(): Entrance {
    return this.#entrance;
  }

  /** Returns the title that messages use, such as "Mutex 'accounts'". */
  override toString(): string {
    return this.#entrance.errors.toString();
  }

  /**
   * Acquires the lock, blocking the calling thread until this agent owns it.
   *
   * @throws {OwnerDiedError} If an owner died. If the error has a guard, this agent owns the lock; otherwise it was not
   *   taken.
   * @throws {MisuseError} If this agent already owns the lock.
   */
  override lock(): void {
    if (this.#entrance.isOwner()) throw this.#entrance.errors.ownedAlready();
    this.#entrance.enter();
    const found = this.#entrance.health.inherit();
    if (found !== CONSISTENT) throw this.#notice(found);
  }

  /**
   * Acquires the lock if it becomes available within `timeoutMs` ms (default 0: does not wait). Returns whether the
   * lock was acquired.
   *
   * @throws The errors of `lock`. For a lock that this agent already owns, throws `MisuseError` only if `timeoutMs` is
   *   `Infinity`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs === Infinity && this.#entrance.isOwner()) throw this.#entrance.errors.ownedAlready();
    if (!this.#entrance.tryEnter(timeoutMs)) return false;
    raise(this.#takeNotice());
    return true;
  }

  /**
   * Acquires the lock without blocking the thread; the promise resolves when this agent owns it.
   *
   * Each call waits in line on its own, even if several tasks of one agent wait, or if this agent already owns the
   * lock. Rejects with `OwnerDiedError` under the conditions of `lock`, and with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`.
   */
  override async lockAsync(options?: WaitOptions): Promise<void> {
    let notice: OwnerDiedError | undefined;
    await this.#entrance.enterAsync(options, () => {
      notice = this.#takeNotice();
    });
    raise(notice);
  }

  /**
   * Releases the lock.
   *
   * @throws {MisuseError} If this agent does not own it.
   */
  override unlock(): void {
    if (!this.#entrance.isOwner()) throw this.#entrance.errors.notOwner('be unlocked');
    this.#entrance.health.beforeUnlock();
    this.#entrance.exit();
  }

  /**
   * Declares that the data that the lock protects is consistent again after the death of an owner.
   *
   * @throws {MisuseError} If this agent does not own the lock, or did not inherit it from a dead owner.
   */
  markConsistent(): void {
    if (!this.#entrance.isOwner()) throw this.#entrance.errors.notOwner('be marked consistent');
    if (!this.#entrance.health.isDoubtful)
      throw new MisuseError(`${this.toString()} was not inherited from an owner that died: there is nothing to mark.`);
    this.#entrance.health.markConsistent();
  }

  /**
   * Takes over a lock that is unrecoverable or whose owner died, blocking until this agent owns it.
   *
   * Returns the guard, or `null` if the lock is consistent; then the lock is not held. The caller repairs the protected
   * data, marks the guard consistent and releases it. If it releases the guard without marking it, the lock is
   * unrecoverable again. If several agents call `takeOver` at once and the first repairs the data, only that agent gets
   * the guard.
   *
   * @throws The errors of `lock`, except `OwnerDiedError`.
   */
  takeOver(): RecoveryGuard | null {
    if (this.#entrance.isOwner()) throw this.#entrance.errors.ownedAlready();
    this.#entrance.enter();
    return this.#succeed();
  }

  /**
   * Takes over the lock as `takeOver` does, without blocking the thread. Rejects as `lockAsync` does, except with
   * `OwnerDiedError`.
   */
  async takeOverAsync(options?: WaitOptions): Promise<RecoveryGuard | null> {
    let guard: RecoveryGuard | null = null;
    await this.#entrance.enterAsync(options, () => {
      guard = this.#succeed();
    });
    return guard;
  }

  /**
   * Runs `body` with the lock held and returns its result; releases the lock even if `body` throws.
   *
   * The lock is not held after the call.
   *
   * @throws The errors of `lock` and of `onOwnerDied`.
   */
  override run<T>(body: () => NotPromise<T>, options?: OwnerDiedOptions): T {
    checkBody(body, this);
    const onOwnerDied = options === undefined ? undefined : ownerDiedIn(options);
    if (this.#entrance.isOwner()) throw this.#entrance.errors.ownedAlready();
    reserveStack();
    this.#entrance.enter();
    if (onOwnerDied === undefined) raise(this.#refuseNotice());
    else this.#settle(this.#takeNotice(), onOwnerDied);
    let result: T;
    try {
      result = body();
    } finally {
      this.unlock();
    }
    return refusePromise(result, this);
  }

  /**
   * Runs `body` with the lock held until the promise that `body` returns settles, without blocking the thread.
   *
   * Rejects as `lockAsync` does, and with the error of `onOwnerDied`. The lock is not held after the promise settles.
   */
  override async runAsync<T>(body: () => T | PromiseLike<T>, options?: RunOptions): Promise<T> {
    checkAsyncBody(body, this);
    const onOwnerDied = options === undefined ? undefined : ownerDiedIn(options, RUN_OPTIONS);
    reserveStack();
    let notice: OwnerDiedError | undefined;
    await this.#entrance.enterAsync(options === undefined ? options : waitIn(options), () => {
      notice = onOwnerDied === undefined ? this.#refuseNotice() : this.#takeNotice();
    });
    if (onOwnerDied === undefined) raise(notice);
    else await this.#settleAsync(notice, onOwnerDied);
    try {
      return await body();
    } finally {
      this.unlock();
    }
  }

  /**
   * Checks for a notice about earlier owners. Call it right after taking the lock.
   *
   * @throws The error about earlier owners, if there is one.
   */
  protected heedNotice(): void {
    raise(this.#takeNotice());
  }

  /**
   * Returns the error about earlier owners, if there is one. Call it right after taking the lock. The error has a guard
   * unless the lock is unrecoverable.
   */
  #takeNotice(): OwnerDiedError | undefined {
    const found = this.#entrance.health.inherit();
    return found === CONSISTENT ? undefined : this.#notice(found);
  }

  #notice(found: number): OwnerDiedError {
    if (found === UNRECOVERABLE) return this.#refused();
    return new OwnerDiedError(
      `${this.toString()}: the agent that owned it died. This agent owns it now, and what it protects may be half changed: repair it, ` +
        'call markConsistent on the guard of this error, and release it.',
      new RecoveryGuard(this),
    );
  }

  /** Returns the error as `#takeNotice` does, but unlocks the lock: the next owner gets the notice. */
  #refuseNotice(): OwnerDiedError | undefined {
    const found = this.#entrance.health.inherit();
    if (found === CONSISTENT) return undefined;
    if (found === UNRECOVERABLE) return this.#refused();
    return this.#decline();
  }

  #decline(): OwnerDiedError {
    this.#entrance.health.decline();
    this.#giveBack();
    return new OwnerDiedError(
      `${this.toString()}: the agent that owned it died, and what it protects may be half changed. The body was not called; the lock is free. Pass ` +
        'onOwnerDied to run to repair it, or inherit it with lock or hold.',
    );
  }

  /**
   * Calls `onOwnerDied` if the lock was taken with a `notice` that has a guard. Throws a notice without a guard. If
   * `#settle` returns, the lock is consistent and held. If it throws, the lock is not held.
   */
  #settle(notice: OwnerDiedError | undefined, onOwnerDied: OnOwnerDied): void {
    if (notice === undefined) return;
    if (notice.guard === undefined) throw notice;
    repairThen(this, {
      ...this.#repair(onOwnerDied),
      refuse: (promise) => {
        reportRejection(promise, `the onOwnerDied of ${this.toString()}.run`);
        return new MisuseError(
          `${this.toString()}: the onOwnerDied of run returned a promise. Use runAsync. The body was not called.`,
          { cause: promise },
        );
      },
    });
  }

  async #settleAsync(notice: OwnerDiedError | undefined, onOwnerDied: OnOwnerDied): Promise<void> {
    if (notice === undefined) return;
    if (notice.guard === undefined) throw notice;
    await repairThenAsync(this, this.#repair(onOwnerDied));
  }

  #repair(onOwnerDied: OnOwnerDied): Omit<Repair, 'refuse'> {
    return { onOwnerDied, end: (repair, hasAccepted) => this.#endRepair(repair, hasAccepted) };
  }

  /** Ends the repair. Keeps the lock only if `onOwnerDied` marked it consistent and did not throw (`hasAccepted`). */
  #endRepair(repair: PendingRepair, hasAccepted: boolean): OwnerDiedError | undefined {
    repair.end();
    if (repair.wasReleased || !this.#entrance.isOwner())
      return new OwnerDiedError(
        `${this.toString()}: the agent that owned it died, and onOwnerDied released it. The body was not called.`,
      );
    if (this.#entrance.health.isDoubtful) return this.#decline();
    if (!hasAccepted) this.#entrance.exit();
    return undefined;
  }

  #succeed(): RecoveryGuard | null {
    if (this.#entrance.health.takeOver()) return new RecoveryGuard(this);
    this.#giveBack();
    return null;
  }

  #refused(): OwnerDiedError {
    this.#giveBack();
    return new OwnerDiedError(
      `${this.toString()}: an agent that owned it died, and the next owner unlocked it without marking it consistent. It was not locked: every ` +
        'call is refused until an agent repairs what the lock protects, with takeOver.',
    );
  }

  #giveBack(): void {
    // If a lock package calls `entered` late, another task of this agent may have unlocked the lock by mistake.
    if (this.#entrance.isOwner()) this.#entrance.exit();
  }
}
