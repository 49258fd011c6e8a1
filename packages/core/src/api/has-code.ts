// Tells errors apart by their codes.

import type {
  ArenaFullError,
  BrokenBarrierError,
  CancelledError,
  ClosedError,
  CorruptArenaError,
  DeadlockError,
  HandleError,
  MisuseError,
  TimeoutError,
  UnsupportedError,
} from './errors.ts';
import type { OverloadedError } from './overloaded-error.ts';
import type { OwnerDiedError } from './owner-died.ts';
import { isError } from '../platform/realm.ts';

/**
 * Maps each error code to its error class, for `hasCode`.
 *
 * A package with its own codes adds them with `declare module '@sluice/core' { interface ErrorsByCode { MY_CODE:
 * MyError } }`.
 */
export interface ErrorsByCode {
  SLUICE_TIMEOUT: TimeoutError;
  SLUICE_DEADLOCK: DeadlockError;
  SLUICE_MISUSE: MisuseError;
  SLUICE_OWNER_DIED: OwnerDiedError;
  SLUICE_CLOSED: ClosedError;
  SLUICE_BROKEN_BARRIER: BrokenBarrierError;
  SLUICE_CANCELLED: CancelledError;
  SLUICE_HANDLE: HandleError;
  SLUICE_ARENA_FULL: ArenaFullError;
  SLUICE_UNSUPPORTED: UnsupportedError;
  SLUICE_CORRUPT_ARENA: CorruptArenaError;
  SLUICE_OVERLOADED: OverloadedError;
}

/** The error class of a code. */
export type ErrorWithCode<Code extends keyof ErrorsByCode> = ErrorsByCode[Code] & { readonly code: Code };

/**
 * Reports whether `error` is an error with the given code.
 *
 * Works across copies of the package and across realms, such as those of test runners. It knows the codes of this
 * package and those that another package, such as the worker pool, has added to `ErrorsByCode`.
 *
 * ```ts run
 * import { hasCode, Semaphore } from '@sluice/core';
 *
 * const stop = Semaphore.create(0);
 * stop.close();
 * try {
 *   stop.acquire();
 * } catch (error) {
 *   console.log(hasCode(error, 'SLUICE_CLOSED')); // true
 * }
 * ```
 */
export function hasCode<Code extends keyof ErrorsByCode>(error: unknown, code: Code): error is ErrorWithCode<Code> {
  return isError(error) && codeOf(error) === code;
}

/** Returns the `code` of an error, even if its getter throws. */
function codeOf(error: Error): unknown {
  try {
    return (error as { readonly code?: unknown }).code;
  } catch {
    return undefined;
  }
}
