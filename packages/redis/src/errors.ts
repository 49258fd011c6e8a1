// How calls over a server fail, beside the errors of the core. Distinguish them by `code`.

export type RedisErrorCode = 'SLUICE_LEASE_LOST' | 'SLUICE_REDIS';

class RemoteError extends Error {
  readonly code: RedisErrorCode;
  // A field is defined, not assigned. An assignment fails if a program has frozen `Error.prototype`.
  override readonly name: string;

  constructor(code: RedisErrorCode, name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = name;
  }
}

/**
 * The session's lease ended, or the server lost the session or the grant. Everything that the session held may be held
 * by others by now.
 *
 * The next call begins a new session.
 */
export class LeaseLostError extends RemoteError {
  declare readonly code: 'SLUICE_LEASE_LOST';

  constructor(message: string) {
    super('SLUICE_LEASE_LOST', 'LeaseLostError', message);
  }
}

/** The server could not be reached, or refused a call. `cause`: the client's error. */
export class RedisError extends RemoteError {
  declare readonly code: 'SLUICE_REDIS';

  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_REDIS', 'RedisError', message, options);
  }
}

declare module '@sluice/core' {
  interface ErrorsByCode {
    SLUICE_LEASE_LOST: LeaseLostError;
    SLUICE_REDIS: RedisError;
  }
}
