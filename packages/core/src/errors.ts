// Every error of Sluice that is not a plain TypeError or RangeError for an argument. Tell them apart by `code`, never by
// `instanceof`: two copies of a package may meet in one program.

import type { RecoveryGuard } from './owner-died.ts';

export type SluiceErrorCode =
  | 'SLUICE_TIMEOUT'
  | 'SLUICE_DEADLOCK'
  | 'SLUICE_MISUSE'
  | 'SLUICE_OWNER_DIED'
  | 'SLUICE_CLOSED'
  | 'SLUICE_HANDLE'
  | 'SLUICE_ARENA_FULL'
  | 'SLUICE_UNSUPPORTED'
  | 'SLUICE_CORRUPT_ARENA';

/** Base of the errors below. Where an error does not say otherwise, everything is as it was before the call. */
export class SluiceError extends Error {
  readonly code: SluiceErrorCode;

  constructor(code: SluiceErrorCode, name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = name;
  }
}

/** The timeout of a wait ran out; nothing was taken. */
export class TimeoutError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_TIMEOUT', 'TimeoutError', message);
  }
}

/** The wait would block the agent behind a wait of its own, which cannot go on while the agent is blocked. */
export class DeadlockError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_DEADLOCK', 'DeadlockError', message);
  }
}

/** A call that is wrong in this state or in this place. */
export class MisuseError extends SluiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_MISUSE', 'MisuseError', message, options);
  }
}

/** In the message of the `MisuseError` of an agent that has left its arena: `console.log` tells it from a freed primitive by this. */
export const HAS_LEFT = 'has left the arena';

/** The agent that owned a lock died: what the lock protects may be half changed. See `OwnedLock`. */
export class OwnerDiedError extends SluiceError {
  /** The lock is ours, and this gives it back. `undefined`: the lock was not taken. */
  readonly guard: RecoveryGuard | undefined;

  constructor(message: string, guard?: RecoveryGuard) {
    super('SLUICE_OWNER_DIED', 'OwnerDiedError', message);
    this.guard = guard;
  }
}

/** The primitive was closed, before the call or while it waited. */
export class ClosedError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_CLOSED', 'ClosedError', message);
  }
}

/** A handle that does not lead to a living primitive of the right kind. */
export class HandleError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_HANDLE', 'HandleError', message);
  }
}

/** The arena has no room left and may not grow. */
export class ArenaFullError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_ARENA_FULL', 'ArenaFullError', message);
  }
}

/** The primitive cannot do this, in whatever state it is; the message says which one can. See `capabilities` of semaphores. */
export class UnsupportedError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_UNSUPPORTED', 'UnsupportedError', message);
  }
}

/**
 * The arena's memory holds what Sluice never writes: a list without an end, a record where none can be. What the call had begun may be half
 * done, and the arena cannot be relied on.
 */
export class CorruptArenaError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_CORRUPT_ARENA', 'CorruptArenaError', message);
  }
}

/**
 * Which error has which code: what `hasCode` knows. A package with codes of its own adds them, by
 * `declare module '@sluice/core' { interface ErrorsByCode { MY_CODE: MyError } }`.
 */
export interface ErrorsByCode {
  SLUICE_TIMEOUT: TimeoutError;
  SLUICE_DEADLOCK: DeadlockError;
  SLUICE_MISUSE: MisuseError;
  SLUICE_OWNER_DIED: OwnerDiedError;
  SLUICE_CLOSED: ClosedError;
  SLUICE_HANDLE: HandleError;
  SLUICE_ARENA_FULL: ArenaFullError;
  SLUICE_UNSUPPORTED: UnsupportedError;
  SLUICE_CORRUPT_ARENA: CorruptArenaError;
}

/** The error that has that code. */
export type ErrorWithCode<Code extends keyof ErrorsByCode> = ErrorsByCode[Code] & { readonly code: Code };

/**
 * Whether `error` has that code, also from another copy of the package: an error of this package, or of one that has added its codes to
 * `ErrorsByCode`, as the worker pool does.
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
  return error instanceof Error && (error as { readonly code?: unknown }).code === code;
}
