// How `run` and `runAsync` of an owned lock behave after an owner died.

import { checkFunction, checkOptions } from './check.ts';
import { SluiceError } from './errors.ts';
import { Guard } from './guard.ts';
import type { DoneOnReturn } from './not-promise.ts';
import { INSPECT } from './console-text.ts';
import { WAIT_OPTIONS, type WaitOptions } from './wait-options.ts';

/** A lock that the next owner inherits when the owner dies. */
export interface Inheritable {
  unlock(): void;
  markConsistent(): void;
  toString(): string;
}

/** The guard of a lock that this agent inherited from a dead owner. */
export class RecoveryGuard extends Guard {
  readonly #lock: Inheritable;

  constructor(lock: Inheritable) {
    super(lock);
    this.#lock = lock;
  }

  /** Calls `markConsistent` of the lock, which declares that the protected data is consistent again. */
  markConsistent(): void {
    this.#lock.markConsistent();
  }

  override [INSPECT](): string {
    return super[INSPECT]().replace(/^Guard/, 'RecoveryGuard');
  }
}

/** The agent that owned a lock died, so the data that the lock protects may be half changed. See `OwnedLock`. */
export class OwnerDiedError extends SluiceError {
  /** The guard of the lock, which this agent now owns. `undefined` if this agent did not take the lock. */
  readonly guard: RecoveryGuard | undefined;

  constructor(message: string, guard?: RecoveryGuard) {
    super('SLUICE_OWNER_DIED', 'OwnerDiedError', message);
    this.guard = guard;
  }
}

/**
 * Repairs the protected data and calls `markConsistent` on the guard. If the function returns without that call, the
 * data counts as not repaired.
 */
export type OnOwnerDied = (guard: RecoveryGuard) => unknown;

/** Options of `run` of an owned lock. */
export interface OwnerDiedOptions {
  /**
   * Called with the lock held, after an owner died, to repair the protected data.
   *
   * If the function marks the guard consistent, the body runs. Otherwise `run` throws `OwnerDiedError`, and the next
   * owner gets the lock with the notice. The guard is invalid after the function has ended. If the function returns a
   * promise, `run` throws `MisuseError`. Default: `run` throws `OwnerDiedError` without a repair.
   */
  readonly onOwnerDied?: ((guard: RecoveryGuard) => DoneOnReturn) | undefined;
}

/** Options of `runAsync` of an owned lock. */
export interface RunOptions extends WaitOptions {
  /** Repairs as `onOwnerDied` of `run` does, but may return a promise. The lock is held until the promise settles. */
  readonly onOwnerDied?: ((guard: RecoveryGuard) => DoneOnReturn | PromiseLike<unknown>) | undefined;
}

const OWNER_DIED_OPTIONS: readonly (keyof OwnerDiedOptions)[] = ['onOwnerDied'];
/** The names of the options that `runAsync` accepts. */
export const RUN_OPTIONS: readonly string[] = [...WAIT_OPTIONS, 'onOwnerDied'];

/** Returns `onOwnerDied`. Throws `TypeError` if it is not a function, or if there is an unknown option. */
export function ownerDiedIn(
  options: OwnerDiedOptions | RunOptions,
  names: readonly string[] = OWNER_DIED_OPTIONS,
): OnOwnerDied | undefined {
  checkOptions(options, names);
  const { onOwnerDied } = options;
  if (onOwnerDied !== undefined) checkFunction(onOwnerDied);
  return onOwnerDied;
}

/** Returns the options without `onOwnerDied`, for the wait. */
export function waitIn(options: RunOptions): WaitOptions {
  checkOptions(options, RUN_OPTIONS);
  const { onOwnerDied: _, ...wait } = options;
  return wait;
}
