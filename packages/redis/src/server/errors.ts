// The errors of calls over a server, beside those of the core. Distinguish them by `code`.

export type RedisErrorCode = 'SLUICE_LEASE_LOST' | 'SLUICE_REDIS';

class RemoteError extends Error {
  readonly code: RedisErrorCode;
  // Defined as a field. An assignment fails if a program has frozen `Error.prototype`.
  override readonly name: string;

  constructor(code: RedisErrorCode, name: string, message: string, options?: ErrorOptions) {
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
export class LeaseLostError extends RemoteError {
  declare readonly code: 'SLUICE_LEASE_LOST';

  constructor(message: string) {
    super('SLUICE_LEASE_LOST', 'LeaseLostError', message);
  }
}

/** The server could not be reached, or refused a call. `cause` is the client's error. */
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
