// The errors of calls over an engine, beside those of the core. Distinguish them by `code`.

export type RemoteErrorCode = 'SLUICE_LEASE_LOST';

/** The common part of the errors of this package and of the engines. */
export class RemoteError<Code extends string = string> extends Error {
  readonly code: Code;
  // Defined as a field. An assignment fails if a program has frozen `Error.prototype`.
  override readonly name: string;

  constructor(code: Code, name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = name;
  }
}

/**
 * The session's lease ended, or the server lost the session or the grant. Other sessions may now hold everything that
 * the session held.
 *
 * The next call begins a new session.
 */
export class LeaseLostError extends RemoteError<'SLUICE_LEASE_LOST'> {
  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_LEASE_LOST', 'LeaseLostError', message, options);
  }
}

/**
 * The session had ended before the engine ran the call, so the call has changed nothing. A space makes the call once more
 * in a new session.
 */
export class NotRun extends LeaseLostError {
  constructor(ended: LeaseLostError) {
    super(ended.message, { cause: ended });
  }
}

/** An engine could not be reached, or refused a call. Each engine has a class of its own. */
export class EngineError<Code extends string = string> extends RemoteError<Code> {}

declare module '@sluice/core' {
  interface ErrorsByCode {
    SLUICE_LEASE_LOST: LeaseLostError;
  }
}
