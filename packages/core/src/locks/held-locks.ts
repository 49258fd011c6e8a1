// The locks that one call holds, as one lock: released together, inherited together.

import { hasCode } from '../api/has-code.ts';
import { OwnerDiedError, RecoveryGuard, type Inheritable } from '../api/owner-died.ts';
import type { OwnedLock } from './owned-lock.ts';
import type { PlacedLock } from './hold-order.ts';

/** The number of locks that a title names. */
const NAMED = 3;

export class HeldLocks implements Inheritable {
  readonly #call: string;
  readonly #planned: readonly PlacedLock[];
  /** In the order in which they were acquired. */
  readonly #held: PlacedLock[] = [];
  readonly #inherited: OwnedLock[] = [];

  constructor(call: string, planned: readonly PlacedLock[]) {
    this.#call = call;
    this.#planned = planned;
  }

  /** The title that messages use, such as "holdAll of Mutex 'a', Mutex 'b'". */
  toString(): string {
    return `${this.#call} of ${titles(this.#planned)}`;
  }

  /** The locks whose owners died, in the order in which they were acquired. */
  get inherited(): readonly OwnedLock[] {
    return this.#inherited;
  }

  /** Whether a lock was inherited and is not marked consistent. */
  get isDoubtful(): boolean {
    return this.#inherited.some(isDoubtful);
  }

  /** Whether a task of this agent has released a lock behind the back of the call. */
  get hasLost(): boolean {
    return this.#held.length < this.#planned.length || this.#inherited.some(({ entrance }) => !entrance.isOwner());
  }

  /** Notes that this agent holds `lock`. */
  add(lock: PlacedLock): void {
    this.#held.push(lock);
  }

  /**
   * Notes that this agent holds `lock` if `failure` is the notice of a dead owner with which it was acquired. Otherwise
   * throws `failure`.
   */
  addInherited(lock: PlacedLock, failure: unknown): void {
    if (!hasCode(failure, 'SLUICE_OWNER_DIED') || failure.guard === undefined) throw failure;
    this.#inherited.push(lock as PlacedLock & OwnedLock);
    this.#held.push(lock);
  }

  /**
   * Releases all locks, the last one first. If a release throws, the others are released nevertheless, and the call
   * throws the first error.
   */
  unlock(): void {
    this.#releaseEach((lock) => lock.unlock());
  }

  /**
   * Releases all locks as `unlock` does. The next owner of each lock that was inherited and not marked consistent gets
   * the notice.
   */
  decline(): void {
    this.#releaseEach((lock) => {
      if (this.#inherited.includes(lock as PlacedLock & OwnedLock)) declineOne(lock as PlacedLock & OwnedLock);
      else lock.unlock();
    });
  }

  /** Marks every lock that was inherited consistent, except those that are already. */
  markConsistent(): void {
    for (const lock of this.#inherited) if (isDoubtful(lock)) lock.markConsistent();
  }

  /** Returns the error of a call that holds all locks, some of them inherited. */
  notice(): OwnerDiedError {
    return new OwnerDiedError(
      `${this.toString()}: the owner of ${titles(this.#inherited)} died. This agent holds all the locks now, and what the inherited ones protect ` +
        'may be half changed: repair it, call markConsistent on the guard of this error, and release it.',
      new RecoveryGuard(this),
    );
  }

  /** Returns the error of a call that has inherited locks and holds none any more. `then`: what the caller can do. */
  refused(then: string): OwnerDiedError {
    return new OwnerDiedError(
      `${this.toString()}: the owner of ${titles(this.#inherited)} died, and what it protects may be half changed. ${then}`,
    );
  }

  #releaseEach(release: (lock: PlacedLock) => void): void {
    const failures: unknown[] = [];
    // Take each lock from the list first, so that no lock is released twice.
    for (let lock = this.#held.pop(); lock !== undefined; lock = this.#held.pop()) {
      try {
        release(lock);
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

function titles(locks: readonly object[]): string {
  const named = locks.slice(0, NAMED).map(titleOf).join(', ');
  if (locks.length > NAMED) return `${named} and ${locks.length - NAMED} more`;
  return locks.length === 0 ? 'no locks' : named;
}

/** A lock that is not of Sluice may have a `toString` that throws. The call must release its locks nevertheless. */
function titleOf(lock: unknown): string {
  try {
    return String(lock);
  } catch {
    return 'a lock';
  }
}

function isDoubtful({ entrance }: OwnedLock): boolean {
  return entrance.isOwner() && entrance.health.isDoubtful;
}

/** Releases a lock that this call inherited. Another task of this agent may have released it by mistake. */
function declineOne({ entrance }: OwnedLock): void {
  if (!entrance.isOwner()) return;
  if (entrance.health.isDoubtful) entrance.health.decline();
  entrance.exit();
}
