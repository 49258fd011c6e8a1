// All errors of Sluice except the plain TypeError or RangeError for an argument. Tell them apart by `code`, never by
// `instanceof`: one program may load two copies of a package.

export type SluiceErrorCode =
  | 'SLUICE_TIMEOUT'
  | 'SLUICE_DEADLOCK'
  | 'SLUICE_MISUSE'
  | 'SLUICE_OWNER_DIED'
  | 'SLUICE_CLOSED'
  | 'SLUICE_BROKEN_BARRIER'
  | 'SLUICE_CANCELLED'
  | 'SLUICE_HANDLE'
  | 'SLUICE_ARENA_FULL'
  | 'SLUICE_UNSUPPORTED'
  | 'SLUICE_CORRUPT_ARENA';

/** The base class of all errors of Sluice. Unless an error says otherwise, the failed call changed nothing. */
export class SluiceError extends Error {
  readonly code: SluiceErrorCode;
  // A field is defined, not assigned. An assignment fails if a program has frozen `Error.prototype`.
  override readonly name: string;

  constructor(code: SluiceErrorCode, name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = name;
  }
}

/** A wait timed out. Nothing was taken. */
export class TimeoutError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_TIMEOUT', 'TimeoutError', message);
  }
}

/**
 * The wait would block the agent behind one of its own async waits, which cannot settle while the agent is blocked. Or
 * it closes a deadlock, and the program searches for deadlocks (`detectDeadlocks` of `@sluice/inspect`).
 */
export class DeadlockError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_DEADLOCK', 'DeadlockError', message);
  }
}

/** The call is not allowed in the current state or on this thread. */
export class MisuseError extends SluiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_MISUSE', 'MisuseError', message, options);
  }
}

/**
 * Part of the `MisuseError` message of an agent that has left its arena. `console.log` uses this text to tell such an
 * error from that of a freed primitive.
 */
export const HAS_LEFT = 'has left the arena';

/** The primitive was closed, before or during the call. */
export class ClosedError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_CLOSED', 'ClosedError', message);
  }
}

/** A generation of a barrier was broken. Its waits, and arrivals until `reset` or `mend`, end with this error. */
export class BrokenBarrierError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_BROKEN_BARRIER', 'BrokenBarrierError', message);
  }
}

/** A call of `cancelWaiters` ended the wait. Nothing was taken. */
export class CancelledError extends SluiceError {
  /** The reason that the call of `cancelWaiters` passed. */
  readonly reason: number;

  constructor(message: string, reason = 0) {
    super('SLUICE_CANCELLED', 'CancelledError', message);
    this.reason = reason;
  }
}

/** The handle does not refer to a live primitive of the expected kind. */
export class HandleError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_HANDLE', 'HandleError', message);
  }
}

/** The arena has no room left and cannot grow. */
export class ArenaFullError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_ARENA_FULL', 'ArenaFullError', message);
  }
}

/**
 * The primitive does not support this operation in any state, or the runtime lacks a feature that Sluice needs. For a
 * primitive, the message names an operation that it supports. See `capabilities` of semaphores.
 */
export class UnsupportedError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_UNSUPPORTED', 'UnsupportedError', message);
  }
}

/**
 * The arena's memory holds data that Sluice never writes, such as a list without an end or a record at an invalid
 * address.
 *
 * The failed call may be half done. Do not use the arena any further.
 */
export class CorruptArenaError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_CORRUPT_ARENA', 'CorruptArenaError', message);
  }
}
