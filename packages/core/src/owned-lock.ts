// What all owned locks have in common: who may unlock, and what happens after an owner's death.

import type { Account } from './account/account.ts';
import { checkAsyncBody, checkBody, isThenable, refusePromise, reportRejection } from './body.ts';
import { MisuseError, OwnerDiedError } from './errors.ts';
import { RecoveryGuard, ownerDiedIn, PendingRepair, RUN_OPTIONS, waitIn, type OwnerDiedOptions, type OnOwnerDied, type RunOptions } from './owner-died.ts';
import { CONSISTENT, UNRECOVERABLE } from './kernel/states.ts';
import type { LockHealth } from './lock-health.ts';
import { Holdable, type WaitOptions } from './lock.ts';

/**
 * A lock that one agent owns at a time, and no other may unlock. A lock package brings the box office: the five
 * protected members.
 *
 * When the owner dies and is reclaimed, the lock goes to the next in line, whose `lock`, `tryLock` or `lockAsync` then
 * fails with `OwnerDiedError`: that agent owns the lock, what the lock protects may be half changed, and the error carries
 * the guard. It repairs what there is to repair, calls `markConsistent` and unlocks. If it unlocks without that, the lock is
 * unrecoverable: every later attempt is refused with an `OwnerDiedError` that has no guard, until an agent calls `takeOver`. If it
 * dies, too, the next one is told.
 *
 * `run` and `runAsync` never leave the lock held. After an owner's death they call `onOwnerDied` with the guard, where they were given
 * one. If that marks the lock consistent, the body runs. If it does not, or there is none, they fail without having run the body, and
 * the notice goes to the next owner.
 */
export abstract class OwnedLock extends Holdable {
  protected abstract readonly health: LockHealth;
  /** Whether this agent owns the lock. */
  protected abstract isOwner(): boolean;
  protected abstract enter(): void;
  protected abstract tryEnter(timeoutMs: number): boolean;
  /** `entered` is to be called in the same turn in which the lock is taken: later another task of this agent may use it. */
  protected abstract enterAsync(options: WaitOptions | undefined, entered: () => void): Promise<void>;
  protected abstract exit(): void;

  /** What errors say about the lock. Messages use the name of its class if it has none. */
  protected account(): Account | undefined {
    return undefined;
  }

  /** As "Mutex 'accounts'". */
  override toString(): string {
    return this.account()?.toString() ?? super.toString();
  }

  /** Blocks until this agent owns the lock. Throws `OwnerDiedError`, `MisuseError` (this agent owns it already). */
  override lock(): void {
    if (this.isOwner()) throw this.#ownedAlready();
    this.enter();
    raise(this.#takeNotice());
  }

  /** Waits `timeoutMs` at the most; whether this agent owns the lock now. Throws as `lock`; `MisuseError` only without an end. */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs === Infinity && this.isOwner()) throw this.#ownedAlready();
    if (!this.tryEnter(timeoutMs)) return false;
    raise(this.#takeNotice());
    return true;
  }

  /** Resolves when this agent owns the lock: tasks of one agent stand in line like agents. Rejects as `lock` throws. */
  override async lockAsync(options?: WaitOptions): Promise<void> {
    let notice: OwnerDiedError | undefined;
    await this.enterAsync(options, () => {
      notice = this.#takeNotice();
    });
    raise(notice);
  }

  /** Gives the lock back. Throws `MisuseError` when this agent does not own it. */
  override unlock(): void {
    this.#checkOwner('be unlocked');
    this.health.beforeUnlock();
    this.exit();
  }

  /**
   * The heir of a dead owner says that what the lock protects is in order again. Throws `MisuseError` when this agent does
   * not own the lock, or has not inherited it.
   */
  markConsistent(): void {
    this.#checkOwner('be marked consistent');
    if (!this.health.isDoubtful) throw new MisuseError(`${this.toString()} was not inherited from an owner that died: there is nothing to mark.`);
    this.health.markConsistent();
  }

  /**
   * Takes over a lock that is unrecoverable, or whose owner died: blocks until this agent owns it. The caller repairs what the lock
   * protects, marks the guard consistent and releases it; if it releases the guard without that, the lock is unrecoverable again. If
   * several agents call it at once, only one gets the guard. `null`: the lock is consistent, nothing is held. Throws as `lock`.
   */
  takeOver(): RecoveryGuard | null {
    if (this.isOwner()) throw this.#ownedAlready();
    this.enter();
    return this.#succeed();
  }

  /** As `takeOver` without blocking. Rejects as `lockAsync`. */
  async takeOverAsync(options?: WaitOptions): Promise<RecoveryGuard | null> {
    let guard: RecoveryGuard | null = null;
    await this.enterAsync(options, () => {
      guard = this.#succeed();
    });
    return guard;
  }

  /** Runs `body` with the lock held; gives it back also when `body` throws. Throws as `lock`, and what `onOwnerDied` throws. */
  override run<T>(body: () => T, options?: OwnerDiedOptions): T {
    checkBody(body, this);
    const onOwnerDied = options === undefined ? undefined : ownerDiedIn(options);
    if (this.isOwner()) throw this.#ownedAlready();
    this.enter();
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

  /** As `run` without blocking, until the promise that `body` returns settles. Rejects as `lockAsync`, and with what `onOwnerDied` throws. */
  override async runAsync<T>(body: () => T | PromiseLike<T>, options?: RunOptions): Promise<T> {
    checkAsyncBody(body, this);
    const onOwnerDied = options === undefined ? undefined : ownerDiedIn(options, RUN_OPTIONS);
    let notice: OwnerDiedError | undefined;
    await this.enterAsync(options === undefined ? options : waitIn(options), () => {
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

  /** Right after taking the lock: what is to be said of the owners before, with the lock if it is to be had. */
  #takeNotice(): OwnerDiedError | undefined {
    const found = this.health.inherit();
    if (found === CONSISTENT) return undefined;
    if (found === UNRECOVERABLE) return this.#refused();
    return new OwnerDiedError(
      `${this.toString()}: the agent that owned it died. This agent owns it now, and what it protects may be half changed: repair it, ` +
        'call markConsistent on the guard of this error, and release it.',
      new RecoveryGuard(this),
    );
  }

  /** As `#takeNotice`, but without keeping the lock: the notice goes to the next owner. */
  #refuseNotice(): OwnerDiedError | undefined {
    const found = this.health.inherit();
    if (found === CONSISTENT) return undefined;
    if (found === UNRECOVERABLE) return this.#refused();
    return this.#decline();
  }

  #decline(): OwnerDiedError {
    this.health.decline();
    this.#giveBack();
    return new OwnerDiedError(
      `${this.toString()}: the agent that owned it died, and what it protects may be half changed. The body was not called; the lock is free. Pass ` +
        'onOwnerDied to run to repair it, or inherit it with lock or hold.',
    );
  }

  /** After taking the lock with `notice`: the heir repairs what there is to repair, or this throws and the lock is not held. */
  #settle(notice: OwnerDiedError | undefined, onOwnerDied: OnOwnerDied): void {
    if (notice === undefined) return;
    if (notice.guard === undefined) throw notice;
    const repair = new PendingRepair(this);
    try {
      const answer = onOwnerDied(repair.guard);
      if (isThenable(answer)) {
        reportRejection(answer, `the onOwnerDied of ${this.toString()}.run`);
        throw new MisuseError(`${this.toString()}: the onOwnerDied of run returned a promise. Use runAsync. The body was not called.`, { cause: answer });
      }
    } catch (failure) {
      this.#endRepair(repair, false);
      throw failure;
    }
    raise(this.#endRepair(repair, true));
  }

  async #settleAsync(notice: OwnerDiedError | undefined, onOwnerDied: OnOwnerDied): Promise<void> {
    if (notice === undefined) return;
    if (notice.guard === undefined) throw notice;
    const repair = new PendingRepair(this);
    try {
      await onOwnerDied(repair.guard);
    } catch (failure) {
      this.#endRepair(repair, false);
      throw failure;
    }
    raise(this.#endRepair(repair, true));
  }

  /** `hasAccepted`: the heir did not fail. The lock is kept if it marked it consistent. */
  #endRepair(repair: PendingRepair, hasAccepted: boolean): OwnerDiedError | undefined {
    repair.end();
    if (repair.wasReleased || !this.isOwner()) return new OwnerDiedError(`${this.toString()}: the agent that owned it died, and onOwnerDied released it. The body was not called.`);
    if (this.health.isDoubtful) return this.#decline();
    if (!hasAccepted) this.exit();
    return undefined;
  }

  #succeed(): RecoveryGuard | null {
    if (this.health.takeOver()) return new RecoveryGuard(this);
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
    // Where a lock package is told late that it entered, another task of this agent may have unlocked by mistake.
    if (this.isOwner()) this.exit();
  }

  #checkOwner(what: string): void {
    if (!this.isOwner()) throw this.account()?.notOwner(what) ?? new MisuseError(`${this.toString()} cannot ${what}: this agent does not own it.`);
  }

  #ownedAlready(): MisuseError {
    return this.account()?.ownedAlready() ?? new MisuseError(`${this.toString()} is owned by this agent already, so the call would never return.`);
  }
}

function raise(notice: OwnerDiedError | undefined): void {
  if (notice !== undefined) throw notice;
}
