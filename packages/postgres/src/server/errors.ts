// The error of this engine, beside those of the core and of remote primitives. Distinguish them by `code`.

import { EngineError, type RemoteErrorCode } from '@sluice/remote';

export type PostgresErrorCode = RemoteErrorCode | 'SLUICE_POSTGRES';

/** The server could not be reached, or refused a call. `cause` is the client's error. */
export class PostgresError extends EngineError<'SLUICE_POSTGRES'> {
  constructor(message: string, options?: ErrorOptions) {
    super('SLUICE_POSTGRES', 'PostgresError', message, options);
  }
}

declare module '@sluice/core' {
  interface ErrorsByCode {
    SLUICE_POSTGRES: PostgresError;
  }
}
