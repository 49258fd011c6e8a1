// What all owned locks have in common: who may unlock, and what happens after an owner's death.

import type { Account } from './account/account.ts';
import { checkAsyncBody, checkBody, refusePromise } from './body.ts';
import { MisuseError, OwnerDiedError } from './errors.ts';
import { CONSISTENT, UNRECOVERABLE } from './kernel/states.ts';
import type { LockHealth } from './lock-health.ts';
import { Guard, Holdable, type WaitOptions } from './lock.ts';

/** A lock that can be inherited from an owner that died. */
export interface Inheritable {
  unlock(): void;
  markConsistent(): void;
}

/** A guard of a lock that was inherited from an owner that died. */
export class HeirGuard extends Guard {
  readonly #lock: Inheritable;

  constructor(lock: Inheritable) {
    super(lock);
    this.#lock = lock;
  }

  /** As the lock's `markConsistent`. */
  markConsistent(): void {
    this.#lock.markConsistent();
  }
}

/**
 * A lock that one agent owns at a time, and no other may unlock. A lock package brings the box office: the five
 * protected members.
 *
 * When the owner dies and is reclaimed, the lock goes to the next in line, whose `lock`, `tryLock` or `lockAsync` then
 * fails with `OwnerDiedError`: that agent owns the lock, what the lock protects may be half changed, and the error carries
 * the guard. It repairs what there is to repair, calls `markConsistent` and unlocks. If it unlocks without that, every
 * later attempt is refused with an `OwnerDiedError` that has no guard. If it dies, too, the next one is told.
 *
 * `run` and `runAsync` never leave the lock held: after an owner's death they fail without having run their body, and
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

  /** What errors say of the lock; a subclass without one is called by the name of its class. */
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

  override run<T>(body: () => T): T {
    checkBody(body, this);
    if (this.isOwner()) throw this.#ownedAlready();
    this.enter();
    raise(this.#refuseNotice());
    let result: T;
    try {
      result = body();
    } finally {
      this.unlock();
    }
    return refusePromise(result, this);
  }

  override async runAsync<T>(body: () => T | PromiseLike<T>, options?: WaitOptions): Promise<T> {
    checkAsyncBody(body, this);
    let notice: OwnerDiedError | undefined;
    await this.enterAsync(options, () => {
      notice = this.#refuseNotice();
    });
    raise(notice);
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
      new HeirGuard(this),
    );
  }

  /** As `#takeNotice`, but without keeping the lock: the notice goes to the next owner. */
  #refuseNotice(): OwnerDiedError | undefined {
    const found = this.health.inherit();
    if (found === CONSISTENT) return undefined;
    if (found === UNRECOVERABLE) return this.#refused();
    this.health.decline();
    this.#giveBack();
    return new OwnerDiedError(
      `${this.toString()}: the agent that owned it died, and what it protects may be half changed. Nothing was run; the lock is free. Use ` +
        'lock or hold to inherit it.',
    );
  }

  #refused(): OwnerDiedError {
    this.#giveBack();
    return new OwnerDiedError(
      `${this.toString()} cannot be used any more: an agent that owned it died, and the next owner unlocked it without marking it consistent.`,
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
    return this.account()?.ownedAlready() ?? new MisuseError(`${this.toString()} is owned by this agent already, which would wait for itself.`);
  }
}

function raise(notice: OwnerDiedError | undefined): void {
  if (notice !== undefined) throw notice;
}
