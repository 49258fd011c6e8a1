// The error of this engine, beside those of the core and of remote primitives. Distinguish them by `code`.

import { EngineError, type RemoteErrorCode } from '@sluice/remote';

export type RedisErrorCode = RemoteErrorCode | 'SLUICE_REDIS';

/** The server could not be reached, or refused a call. `cause` is the client's error. */
export class RedisError extends EngineError<'SLUICE_REDIS'> {
  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_REDIS', 'RedisError', message, options);
  }
}

declare module '@sluice/core' {
  interface ErrorsByCode {
    SLUICE_REDIS: RedisError;
  }
}
