// What `run` and `runAsync` of an owned lock do when the owner before them died.

import { checkFunction, checkOptions } from './check.ts';
import { MisuseError } from './errors.ts';
import { Guard, type WaitOptions } from './lock.ts';
import { INSPECT } from './one-line.ts';
import { WAIT_OPTIONS } from './semaphore/options.ts';

/** A lock that can be inherited from an owner that died. */
export interface Inheritable {
  unlock(): void;
  markConsistent(): void;
  toString(): string;
}

/** A guard of a lock that was inherited from an owner that died. */
export class RecoveryGuard extends Guard {
  readonly #lock: Inheritable;

  constructor(lock: Inheritable) {
    super(lock);
    this.#lock = lock;
  }

  /** As the lock's `markConsistent`. */
  markConsistent(): void {
    this.#lock.markConsistent();
  }

  override [INSPECT](): string {
    return super[INSPECT]().replace(/^Guard/, 'RecoveryGuard');
  }
}

/** Repairs what the lock protects and calls `markConsistent` on the guard. Without that call it declines the repair. */
export type OnOwnerDied = (guard: RecoveryGuard) => unknown;

/** What `run` of an owned lock can be asked for. */
export interface OwnerDiedOptions {
  /**
   * Called with the lock held after its owner died. If it marks the guard consistent, the body runs. Else the lock goes to the next
   * owner with the notice, and `run` throws `OwnerDiedError`. The guard is invalid afterwards. Default: nothing is repaired.
   */
  readonly onOwnerDied?: ((guard: RecoveryGuard) => void) | undefined;
}

/** What `runAsync` of an owned lock can be asked for. */
export interface RunOptions extends WaitOptions {
  /** As of `run`; it may return a promise, and the lock is held until that settles. */
  readonly onOwnerDied?: ((guard: RecoveryGuard) => void | PromiseLike<void>) | undefined;
}

const OWNER_DIED_OPTIONS: readonly (keyof OwnerDiedOptions)[] = ['onOwnerDied'];
/** The names that `runAsync` knows. */
export const RUN_OPTIONS: readonly string[] = [...WAIT_OPTIONS, 'onOwnerDied'];

/** Throws `TypeError` if `onOwnerDied` is not a function, and for an unknown option. */
export function ownerDiedIn(options: OwnerDiedOptions | RunOptions, names: readonly string[] = OWNER_DIED_OPTIONS): OnOwnerDied | undefined {
  checkOptions(options, names);
  const { onOwnerDied } = options;
  if (onOwnerDied !== undefined) checkFunction(onOwnerDied);
  return onOwnerDied;
}

/** What is left for the wait. */
export function waitIn(options: RunOptions): WaitOptions {
  checkOptions(options, RUN_OPTIONS);
  const { onOwnerDied: _, ...wait } = options;
  return wait;
}

/** The lock while `onOwnerDied` runs: its guard can release the lock, but no longer once the body runs. */
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

  /** As the lock. */
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

  /** Makes the guard invalid. */
  end(): void {
    this.#isOpen = false;
  }

  #check(): void {
    if (!this.#isOpen) throw new MisuseError('The guard of onOwnerDied cannot be used after onOwnerDied has ended: run has the lock then. Nothing was changed.');
  }
}
