// The repair of a lock whose owner died, by the `onOwnerDied` of the next owner.

import { MisuseError } from '../api/errors.ts';
import { RecoveryGuard, type Inheritable, type OwnerDiedError } from '../api/owner-died.ts';
import { isThenable } from '../api/run-body.ts';

/**
 * Stands for the lock while `onOwnerDied` runs. Its guard is valid only until `onOwnerDied` has ended, so the guard
 * cannot release the lock while the body runs.
 */
export class PendingRepair implements Inheritable {
  readonly guard: RecoveryGuard;
  readonly #lock: Inheritable;
  #isOpen = true;
  #wasReleased = false;

  constructor(lock: Inheritable) {
    this.#lock = lock;
    this.guard = new RecoveryGuard(this);
  }

  get wasReleased(): boolean {
    return this.#wasReleased;
  }

  /** The lock's title. */
  toString(): string {
    return String(this.#lock);
  }

  unlock(): void {
    this.#check();
    this.#lock.unlock();
    this.#wasReleased = true;
  }

  markConsistent(): void {
    this.#check();
    this.#lock.markConsistent();
  }

  /** Invalidates the guard. */
  end(): void {
    this.#isOpen = false;
  }

  #check(): void {
    if (!this.#isOpen)
      throw new MisuseError(
        'The guard of onOwnerDied cannot be used after onOwnerDied has ended: run has the lock then. Nothing was changed.',
      );
  }
}

/** How a call repairs what an inherited lock protects. */
export interface Repair {
  readonly onOwnerDied: (guard: RecoveryGuard) => unknown;
  /**
   * Ends the repair. Keeps the lock only if it is consistent and `hasAccepted`: `onOwnerDied` did not throw. Otherwise
   * releases the lock. Returns the error of a lock that was not repaired.
   */
  readonly end: (repair: PendingRepair, hasAccepted: boolean) => OwnerDiedError | undefined;
  /** Returns the error of an `onOwnerDied` that returned a promise where the call cannot await it. */
  readonly refuse: (promise: PromiseLike<unknown>) => Error;
}

/** Repairs an inherited lock. If it returns, the lock is consistent and held. If it throws, the lock is not held. */
export function repairThen(lock: Inheritable, { onOwnerDied, end, refuse }: Repair): void {
  const repair = new PendingRepair(lock);
  try {
    const answer = onOwnerDied(repair.guard);
    if (isThenable(answer)) throw refuse(answer);
  } catch (failure) {
    end(repair, false);
    throw failure;
  }
  raise(end(repair, true));
}

/** Repairs as `repairThen` does, and awaits `onOwnerDied`. */
export async function repairThenAsync(lock: Inheritable, { onOwnerDied, end }: Omit<Repair, 'refuse'>): Promise<void> {
  const repair = new PendingRepair(lock);
  try {
    await onOwnerDied(repair.guard);
  } catch (failure) {
    end(repair, false);
    throw failure;
  }
  raise(end(repair, true));
}

export function raise(failure: OwnerDiedError | undefined): void {
  if (failure !== undefined) throw failure;
}
